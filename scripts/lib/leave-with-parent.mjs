// Sends this process SIGTERM when its parent process has ended.
const EVERY_MS = 500;
const parent = process.ppid;

const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, "SIGTERM");
}, EVERY_MS);
watch.unref();

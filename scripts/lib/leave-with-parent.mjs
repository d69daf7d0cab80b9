// Ends the process that loads this, as by SIGTERM, when its parent process is gone.
const EVERY_MS = 500;
const parent = process.ppid;

const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, "SIGTERM");
}, EVERY_MS);
watch.unref();

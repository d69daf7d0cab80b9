// A health check for images without curl: `node src/check.ts <url>`.
const [url = ""] = process.argv.slice(2);
const response = await fetch(url).catch(() => undefined);
process.exitCode = response?.ok ? 0 : 1;

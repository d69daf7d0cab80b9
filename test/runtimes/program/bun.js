import { serveWith } from "./program.js";

const server = globalThis.Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: serveWith() });
console.log(`port ${server.port}`);

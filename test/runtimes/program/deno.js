import { serveWith } from "./program.js";

const serve = serveWith();
const onListen = ({ port }) => console.log(`port ${port}`);
globalThis.Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, (request) => serve(request));

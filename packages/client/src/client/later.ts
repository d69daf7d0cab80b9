// Code that a page loads after it has shown the conversation. It is one module: bundlers split shared code
// into many chunks, which compress worse than one.
export { library } from "../wire/library.ts";
export { loadOlder } from "./load-older.ts";
export { offeredBy, runPageTools } from "./run-page-tools.ts";
export { preparedBody } from "./send-files.ts";
export { streamPlace } from "./stream-place.ts";

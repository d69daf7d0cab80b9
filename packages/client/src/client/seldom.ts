// What a page loads when it first needs it. One module, because bundlers cut what pages load at once into a
// chunk for each combination of modules that share it, and many chunks compress worse than one.
export { loadOlder } from "./load-older.ts";
export { offeredBy, runPageTools } from "./run-page-tools.ts";
export { uploadAll } from "./send-files.ts";

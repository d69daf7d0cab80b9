export { userFiles } from "../../files/user-files.ts";
export { makeLegFiles } from "./make-leg-files.ts";
export { readInput } from "./read-input.ts";

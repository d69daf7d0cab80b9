// The entry `@pawl/core/disk`: files in a directory. Separate from the others because it needs Node's file
// system.
export { diskFiles } from "./files/disk-files.ts";

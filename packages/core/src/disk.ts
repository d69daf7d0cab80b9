// The entry `@pawl/core/disk`, apart from the others because it needs Node's file system.
export { diskFiles } from "./files/disk-files.ts";

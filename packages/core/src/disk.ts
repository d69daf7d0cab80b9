// The entry `@pawl/core/disk`: stores files in a directory. It is a separate entry because it imports Node's
// file system, which browsers lack.
export { diskFiles } from "./files/disk-files.ts";

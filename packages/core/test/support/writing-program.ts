import { diskFiles } from "../../src/disk.ts";

// Writes one file again and again, until it is killed. Prints a dot after each time.
const files = diskFiles(process.argv[2] ?? "");
for (let n = 0; ; n += 1) {
  await files.put("ada/note.md", String(n % 10).repeat(2_000_000));
  process.stdout.write(".");
}

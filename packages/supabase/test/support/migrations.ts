/** Run it to write the package's `migrations`, after a new one was added to `@pawl/postgres`. */
import { mkdir, writeFile } from "node:fs/promises";
import { migrationFiles } from "@pawl/postgres";

/** Day of the first release; a later migration takes that of its own. */
const days: Readonly<Record<string, string>> = {};
const FIRST_DAY = "20261121";

/** The migrations of `@pawl/postgres` by the names that Supabase gives to files: a time of 14 digits, and what it is. */
export function supabaseMigrations(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(migrationFiles()).map(([file, sql]) => {
      const [version = "", name] = file.split(/-(.*)/);
      const time = `${days[version] ?? FIRST_DAY}${version.padStart(6, "0")}`;
      return [`${time}_pawl_${name}`, `${sql}\nNOTIFY pgrst, 'reload schema';\n`];
    }),
  );
}

if (import.meta.main) {
  const folder = new URL("../../migrations/", import.meta.url);
  await mkdir(folder, { recursive: true });
  for (const [name, sql] of Object.entries(supabaseMigrations())) await writeFile(new URL(name, folder), sql);
}

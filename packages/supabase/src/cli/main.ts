#!/usr/bin/env node
import { parseArgs } from "node:util";
import { messageOf } from "@pawl/core";
import { writeMigrations } from "./write-migrations.ts";

const usage = `pawl-supabase <command>

  migrations <folder>    write the migrations that the folder does not have, e.g. supabase/migrations`;

async function main(): Promise<string> {
  const [command, folder] = parseArgs({ allowPositionals: true }).positionals;
  if (command !== "migrations") throw new Error(usage);
  if (folder === undefined)
    throw new Error(
      "The folder is missing. Usually it is supabase/migrations: pawl-supabase migrations supabase/migrations",
    );
  const written = await writeMigrations(folder);
  return written.length === 0 ? "The folder has all migrations already." : written.join("\n");
}

main().then(
  (said) => console.log(said),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  },
);

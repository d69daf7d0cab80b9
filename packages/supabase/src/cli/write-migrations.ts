import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package's migrations, relative to this source file or to the bundle in `dist/`. */
const OWN = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../migrations/" : "../migrations/", import.meta.url),
);

/**
 * Copies this package's migrations into a project's folder, usually `supabase/migrations`. A file's name
 * begins with a time. Skips a migration if the folder has it with any time. New files get a later time than
 * all existing files, because `supabase db push` refuses earlier ones. Resolves to the names of the new
 * files.
 */
export async function writeMigrations(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const there = (await readdir(folder)).flatMap((file) => partsOf(file) ?? []);
  const known = new Set(there.map(({ name }) => name));
  let newest = Math.max(0, ...there.map(({ time }) => time));
  const written: string[] = [];
  for (const file of (await readdir(OWN)).sort()) {
    const own = partsOf(file);
    if (own === undefined || known.has(own.name)) continue;
    newest = Math.max(own.time, secondAfter(newest));
    const target = `${newest}_${own.name}`;
    await copyFile(join(OWN, file), join(folder, target));
    written.push(target);
  }
  return written;
}

/** Splits a file's name, e.g. `20261121000001_pawl_log.sql`, into its time and the rest. */
function partsOf(file: string): { time: number; name: string } | undefined {
  const [, time, name] = /^(\d{14})_(.+\.sql)$/.exec(file) ?? [];
  return time === undefined || name === undefined ? undefined : { time: Number(time), name };
}

/** Returns the time one second later, as 14 digits. A number that is not a time is increased by one. */
function secondAfter(time: number): number {
  const digits = String(time).padStart(14, "0");
  const [year = 0, ...rest] = (digits.match(/^.{4}|../g) ?? []).map(Number);
  const [month = 1, day = 1, hour = 0, minute = 0, second = 0] = rest;
  const later = new Date(Date.UTC(year, month - 1, day, hour, minute, second + 1));
  return Math.max(time + 1, Number(later.toISOString().replaceAll(/\D/g, "").slice(0, 14)));
}

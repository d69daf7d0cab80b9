import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FORMAT } from "../../src/embedded/format.ts";
import { embeddedCompany } from "../../src/index.ts";

const cache = join(import.meta.dirname, "../../../../node_modules/.cache");

/**
 * Copies a company of 1,000 documents with its index into `dataDir`. It is built once for all tests, because
 * that takes 9 s of processor time. A test of the index fails if `FORMAT` does not belong to what is built.
 */
export async function prepareCompany(dataDir: string): Promise<void> {
  const prepared = join(cache, `company-${FORMAT}`);
  if (!existsSync(prepared)) await make(prepared);
  cpSync(prepared, dataDir, { recursive: true });
}

async function make(prepared: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "company-"));
  const company = embeddedCompany({ dataDir: folder, documents: 1_000 });
  await company.ready();
  await company.close();
  try {
    renameSync(folder, prepared);
  } catch {
    // Another process has made it in the meantime.
    rmSync(folder, { recursive: true });
  }
}

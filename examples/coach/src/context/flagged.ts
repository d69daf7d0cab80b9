import type { FileStore } from "@pawl/core";
import { fileIndex } from "../files/file-index.ts";
import { readMarkdown } from "../files/user-files.ts";

export interface FlaggedDomain {
  name: string;
  status: string;
  body: string;
}

/** The most files that are read. The coach itself writes fewer, but others may fill the folder. */
const MOST = 24;
const FLAGS = ["in_crisis", "needs_attention"];

/** Returns the areas of life that need attention, the worst first. */
export async function flaggedDomains(files: FileStore): Promise<FlaggedDomain[]> {
  const index = await fileIndex(files, "domains");
  const read = await Promise.all(
    index.slice(0, MOST).map(async ({ path, name }): Promise<FlaggedDomain[]> => {
      const file = await readMarkdown(files, path);
      const status = file?.attributes.status;
      if (file === undefined || typeof status !== "string" || !FLAGS.includes(status)) return [];
      return [{ name, status, body: file.body }];
    }),
  );
  return read.flat().sort((a, b) => FLAGS.indexOf(a.status) - FLAGS.indexOf(b.status));
}

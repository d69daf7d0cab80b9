import { type FileStore, memoryFiles, memoryStore, runtime } from "@pawl/core";
import { type Attack, brokenIf } from "../frame/attack.ts";

const FILES = 1_500;

export const attack: Attack = {
  id: "attacks-08",
  title: "Each upload lists all earlier ones, and tiny files are without a limit",
  state: "held",
  guard: {
    file: "packages/core/test/files/file-work.test.ts",
    title: "are at most 200, so that an upload lists a few hundred files at most",
  },
  async attempt() {
    const inner = memoryFiles();
    let listed = 0;
    const files: FileStore = {
      ...inner,
      list: async (folder) => {
        const found = await inner.list(folder);
        listed += found.length;
        return found;
      },
    };
    const pawl = runtime({ agents: [], store: memoryStore(), files });
    for (let count = 1; count <= FILES; count += 1) {
      listed = 0;
      try {
        await pawl.files.put("u", new TextEncoder().encode(`f${count}`));
      } catch (error) {
        return `refused after ${count} files: ${(error as Error).message.slice(0, 60)}`;
      }
    }
    return brokenIf(listed > 500, `an upload behind ${FILES} others lists ${listed} files`);
  },
};

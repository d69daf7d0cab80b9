import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Snippet } from "./snippets.ts";

/** Packages that examples import and that only some workspaces have, with a workspace that has them. */
const BORROWED = {
  react: "client",
  "@types/react": "client",
  ai: "sse",
  "@ai-sdk/react": "sse",
  "@assistant-ui/react": "sse",
  "@assistant-ui/react-ai-sdk": "sse",
  "@ag-ui/client": "sse",
  hono: "sse",
};

/** Types of a module of workerd. Cloudflare's package of types would change those of the whole project. */
const WORKERS = `declare module "cloudflare:workers" {
  import type { ObjectContext } from "@pawl/cloudflare";
  export abstract class DurableObject<Env = unknown> {
    protected readonly ctx: ObjectContext;
    protected readonly env: Env;
    constructor(ctx: ObjectContext, env: Env);
  }
}`;

/** Writes snippets into a folder of their own, with a tsconfig that checks all of them. */
export async function writeSnippets(
  root: string,
  folder: string,
  snippets: readonly Snippet[],
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all(snippets.map(({ name, code }) => writeFile(join(folder, name), `${code}\nexport {};\n`)));
  for (const [name, workspace] of Object.entries(BORROWED)) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, "packages", workspace, "node_modules", name), link);
  }
  await writeFile(join(folder, "workers.d.ts"), WORKERS);
  const tsconfig = {
    extends: "../../tsconfig.json",
    // The built packages, as users have them. Other checks check the types of their sources.
    compilerOptions: { jsx: "react-jsx", customConditions: [] },
    include: ["./*.ts", "./*.tsx"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
}

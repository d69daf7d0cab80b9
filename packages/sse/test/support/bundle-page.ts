import { join } from "node:path";
import { build, type Rollup } from "vite";

/** The script of a page beside this file, with everything that it imports. */
export async function bundlePage(name: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: import.meta.dirname,
    mode: "development",
    define: { "process.env.NODE_ENV": '"development"' },
    resolve: { conditions: ["@pawl/source", "browser"] },
    build: {
      write: false,
      minify: false,
      target: "esnext",
      lib: { entry: join(import.meta.dirname, name), formats: ["es"], fileName: "page" },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [{ output }] = [built].flat() as [Rollup.RollupOutput];
  return output[0].code;
}

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { at } from "../scripts/lib/project.mjs";

const run = promisify(execFile);
const folder = join(import.meta.dirname, ".loose-types");
const manifest = readFileSync(at("test", "compilers", "package.json"), "utf8");
const compilers = Object.keys(JSON.parse(manifest).devDependencies);

/** What Next writes for a new app, with the types as they are packed. */
const options = {
  target: "es2017",
  lib: ["dom", "esnext"],
  strict: false,
  noEmit: true,
  skipLibCheck: true,
  module: "esnext",
  moduleResolution: "bundler",
  jsx: "preserve",
  types: [],
};

const page = `import { useAgent } from "@pawl/client/react";
import type { UIToolsOf } from "@pawl/client/ai-sdk";
import { agent, agentTool, approval, jsonSchema, type ModelClient, tool } from "@pawl/core";
import type { QuestionTypesOf, ToolTypesOf } from "@pawl/core/view";
import * as z from "zod";

declare const model: ModelClient;
const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  input: z.object({ city: z.string() }),
  execute: async () => ({ celsius: 12 }),
});
const options = tool({
  name: "show_options",
  description: "Lets the user choose.",
  input: z.object({ options: z.array(z.string()) }),
  suspends: { answer: z.object({ option: z.string() }) },
});
const stars = tool({
  name: "stars",
  description: "Asks for stars.",
  input: jsonSchema<{ of: string }>({ type: "object" }),
  suspends: { answer: jsonSchema<{ stars: number }>({ type: "object" }) },
});
const helper = agent({ name: "helper", model, instructions: "Help.", tools: [weather] });
const tools = [weather, options, stars, agentTool({ agent: helper, description: "Helps." })];
export const guide = agent({ name: "guide", model, instructions: "Guide.", tools, hooks: [approval({ when: ["weather"] })] });

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
export const kinds: Same<keyof QuestionTypesOf<typeof guide>, "approval" | "show_options" | "stars"> = true;
export const names: Same<keyof ToolTypesOf<typeof guide>, "weather" | "show_options" | "stars" | "helper"> = true;
export const ofUseChat: Same<UIToolsOf<typeof guide>["weather"]["output"], { celsius: number }> = true;

const { asked, messages } = useAgent<typeof guide>({ url: "/api/guide" });
void asked.approval?.answer({ approved: true });
void asked.show_options?.answer({ option: "one" });
void asked.stars?.answer({ stars: 3 });
// @ts-expect-error an option is chosen
void asked.show_options?.answer({ choice: "one" });
// @ts-expect-error the agent asks no such question
asked.weather;
for (const part of messages.flatMap(({ parts }) => parts))
  if (part.type === "tool" && part.toolName === "weather" && part.phase === "done") part.result.celsius.toFixed();
`;

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "page.ts"), page);
  const config = { compilerOptions: options, include: ["./page.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

it.each(compilers)(
  "U7 an agent's types reach a page without `strict`, as in Next's own tsconfig: %s",
  async (compiler) => {
    const tsc = at("test", "compilers", "node_modules", compiler, "bin", "tsc");
    const checked = await run(process.execPath, [tsc, "-p", folder, "--pretty", "false"]).catch(
      ({ stdout }: { stdout: string }) => ({ stdout }),
    );
    expect(checked.stdout).toBe("");
  },
  60_000,
);

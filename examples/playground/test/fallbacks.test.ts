import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readConfig } from "../server/config.ts";
import { agentModels } from "../server/models.ts";

async function fallbacks(env: Record<string, string>): Promise<(string | undefined)[]> {
  const models = await agentModels(readConfig({ PAWL_DIR: join("/tmp", "unused"), ...env }));
  onTestFinished(() => models.close());
  return [models.coachFallback?.id, models.trainerFallback?.id];
}

describe("L12 the models that answer while the others keep failing", () => {
  const key = { ANTHROPIC_API_KEY: "a key" };
  it.each<[string, Record<string, string>, (string | undefined)[]]>([
    ["with the simulator", {}, ["claude-haiku-5-5", "claude-sonnet-4-5"]],
    ["with a key", key, ["claude-haiku-5-5", "claude-sonnet-4-5"]],
    [
      "are never the model itself",
      { ...key, COACH_MODEL_ID: "claude-haiku-5-5", PRIMARY_MODEL: "claude-sonnet-4-5" },
      ["claude-sonnet-5-5", "claude-haiku-4-5"],
    ],
    [
      "are not asked of a server with models of its own",
      { ...key, ANTHROPIC_BASE_URL: "http://localhost:9", COACH_MODEL_ID: "ours", PRIMARY_MODEL: "ours" },
      [undefined, undefined],
    ],
  ])("%s", async (_title, env, expected) => {
    expect(await fallbacks(env)).toEqual(expected);
  });

  it("can be forced to call a tool, as the trainer has to be", async () => {
    const { trainer, trainerFallback, close } = await agentModels(readConfig({}));
    onTestFinished(close);
    expect([trainer[0], trainerFallback].map((model) => model?.forcedToolChoice)).toEqual([true, true]);
  });
});

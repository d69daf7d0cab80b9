import { claude } from "@pawl/anthropic";
import { modelClientContract } from "@pawl/testing/dialects";
import { it } from "vitest";

const baseURL = "http://127.0.0.1";
const cases = modelClientContract("messages", ({ fetch, model }) =>
  claude(model, { apiKey: "any", baseURL, fetch }),
);

for (const { name, run } of cases) it(`B4 L12 L18 claude() reads ${name}`, run);

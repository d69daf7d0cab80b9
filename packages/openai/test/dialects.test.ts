import { openai } from "@pawl/openai";
import { modelClientContract } from "@pawl/testing/dialects";
import { it } from "vitest";

const baseURL = "http://127.0.0.1/v1";
const cases = modelClientContract("chat", ({ fetch, model }) =>
  openai(model, { apiKey: "any", baseURL, fetch }),
);

for (const { name, run } of cases) it(`B4 L12 L18 openai() reads ${name}`, run);

import { coach } from "@pawl/sse/dialects";
import { scriptedModel } from "@pawl/testing";
import type { Attack } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

export const attack: Attack = {
  id: "clients-16",
  title: "coach() drops a picture in silence and answers the text beside it",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/last-words.test.ts",
    title: "refuses a picture with an explanation, and ignores text next to it",
  },
  attempt: async () => {
    const model = scriptedModel([{ text: "Nice." }]);
    const served = await serve(model, { dialect: coach() });
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image", source },
    ];
    const response = await served.ask("/runs", { json: { messages: [{ role: "user", content }] } });
    const requests = model.requests.length;
    return mustHold(response.status === 400 && requests === 0, { status: response.status, requests });
  },
};

import { agUi, aiSdk, type Dialect, native } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

const data = "iVBORw0KGgo=";

/** Sends a first message with a picture to a server that takes no files. */
async function refuse(dialect: Dialect, json: object): Promise<string> {
  const model = scriptedModel([]);
  const served = await serve(model, { dialect });
  const response = await served.ask("/runs", { json });
  const text = await response.text();
  const { sessions } = (await (await served.ask("/sessions")).json()) as { sessions: unknown[] };
  if (!text.includes("cannot have files")) throw new Error(`It was not refused: ${response.status} ${text}`);
  return mustHold(sessions.length === 0, `${sessions.length} sessions after a refusal`);
}

const stored = { type: "file", id: "0".repeat(64) };
const source = { type: "data", value: data, mimeType: "image/png" };
const picture = { type: "file", mediaType: "image/png", url: `data:image/png;base64,${data}` };
const message = { id: "m1", role: "user", parts: [{ type: "text", text: "What is this?" }, picture] };
const content = [
  { type: "text", text: "What is this?" },
  { type: "image", source },
];
const thread = { threadId: "t", runId: "r", state: {}, tools: [], context: [], forwardedProps: {} };

export const attack: Attack = {
  id: "clients-28",
  title: "A first message that is refused leaves an empty session in the user's list",
  state: "open",
  attempt: () =>
    brokenByAny({
      "in the AI SDK": () => refuse(aiSdk(), { id: "c", trigger: "submit-message", messages: [message] }),
      "in AG-UI": () => refuse(agUi(), { ...thread, messages: [{ id: "m1", role: "user", content }] }),
      native: () => refuse(native(), { input: [{ type: "text", text: "What is this?" }, stored] }),
    }),
};

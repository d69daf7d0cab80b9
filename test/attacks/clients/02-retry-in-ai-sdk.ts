import { aiSdk } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { chat, textOf } from "../../../packages/sse/test/support/chat.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAiSdk } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { serve } from "../parts/serve.ts";

const broken = { text: "Half of it", fault: { midStream: "invalid_request_error", afterEvents: 4 } };
type How = "regenerate" | "sendMessage";

async function afterModelError(version: 6 | 7, how: How): Promise<string> {
  const served = await serve(scriptedModel([broken, { text: "Now it works." }]), { dialect: aiSdk() });
  const page = chat(version, served);
  await page.sendMessage({ text: "Hi" });
  if (how === "sendMessage") page.messages = page.messages.slice(0, 1);
  await page[how]();
  const shown = page.messages.map(textOf).join(" / ");
  return mustHold(shown === "Hi / Now it works.", { how, shown, error: page.error?.message });
}

async function afterNetworkFailure(version: 6 | 7, how: How): Promise<string> {
  const served = await serve(scriptedModel([{ text: "Hello." }]), { dialect: aiSdk() });
  let isDown = true;
  const unreliable: typeof fetch = async (input, init) => {
    if (isDown) throw new TypeError("Failed to fetch");
    return await fetch(input, init);
  };
  const page = chat(version, served, { fetch: unreliable });
  await page.sendMessage({ text: "Hi" });
  isDown = false;
  await page[how]();
  const shown = page.messages.map(textOf).join(" / ");
  return mustHold(shown === "Hi / Hello.", { how, shown, error: page.error?.message });
}

export const attack: Attack = {
  id: "clients-02",
  title: "The AI SDK's ways to try again are refused after an error of the model or the network",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ai-sdk/ai-sdk-retry.test.ts",
    title: "%s() after a model error answers the message anew, which stands once",
  },
  attempt: () =>
    withAiSdk((version) =>
      brokenByAny({
        "regenerate() after an error": () => afterModelError(version, "regenerate"),
        "sendMessage() after an error": () => afterModelError(version, "sendMessage"),
        "regenerate() after a network failure": () => afterNetworkFailure(version, "regenerate"),
        "sendMessage() after a network failure": () => afterNetworkFailure(version, "sendMessage"),
      }),
    ),
};

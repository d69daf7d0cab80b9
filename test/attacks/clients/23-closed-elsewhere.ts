import { jsonSchema, tool } from "@pawl/core";
import { agUi } from "@pawl/sse";
import { type Reply, scriptedModel } from "@pawl/testing";
import {
  type Agent,
  errorOf,
  httpAgent,
  run,
  say,
  talk,
  type Version,
} from "../../../packages/sse/test/support/agents.ts";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { withAgUi } from "../parts/clients.ts";
import { mustHold } from "../parts/must-hold.ts";
import { calling, comesAbout, confirm, serve } from "../parts/serve.ts";

const overloaded: Reply = { text: "", fault: { status: 400, type: "invalid_request_error" } };
const settled = (agent: Agent, status: "resolved" | "cancelled") =>
  agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status,
    ...(status === "resolved" && { payload: { yes: true } }),
  }));

/** A page that shows an open question, and the replies after it. */
async function atQuestion(version: Version, replies: readonly Reply[]) {
  const model = scriptedModel([calling("confirm"), ...replies]);
  const served = await serve(model, { dialect: agUi(), of: { tools: [confirm] } });
  const agent = httpAgent(version, served);
  await say(agent, "Go");
  return { served, agent };
}

/** What a page sees that sends a message as the README says: with its interrupts as cancelled. */
async function sendOver(agent: Agent): Promise<string> {
  const resume = settled(agent, "cancelled");
  const error = await say(agent, "Never mind", { resume }).then(errorOf, (thrown) => `thrown: ${thrown}`);
  return mustHold(
    error === undefined && talk(agent).at(-1) === "assistant Well.",
    `${error ?? talk(agent).at(-1)}`,
  );
}

async function retryAfterError(version: Version): Promise<string> {
  const { agent } = await atQuestion(version, [overloaded, { text: "Well." }]);
  const resume = settled(agent, "resolved");
  await run(agent, { resume });
  const error = await run(agent, { resume }).then(errorOf, (thrown) => `thrown: ${thrown}`);
  return mustHold(
    error === undefined && talk(agent).at(-1) === "assistant Well.",
    `${error ?? talk(agent).at(-1)}`,
  );
}

async function messageAfterError(version: Version): Promise<string> {
  const { agent } = await atQuestion(version, [overloaded, { text: "Well." }]);
  await run(agent, { resume: settled(agent, "resolved") });
  return await sendOver(agent);
}

async function answeredInAnotherTab(version: Version): Promise<string> {
  const { agent, served } = await atQuestion(version, [{ text: "Done." }, { text: "Well." }]);
  const other = httpAgent(version, served, { threadId: agent.threadId, messages: agent.messages });
  other.pendingInterrupts = agent.pendingInterrupts;
  await run(other, { resume: settled(other, "resolved") });
  return await sendOver(agent);
}

async function expired(version: Version): Promise<string> {
  const asks = tool({
    name: "confirm",
    description: "Asks.",
    input: jsonSchema({ type: "object" }),
    suspends: { answer: jsonSchema({}), expires: { afterMs: 100, default: { yes: false } } },
  });
  const model = scriptedModel([calling("confirm"), { text: "Nobody was there." }, { text: "Well." }]);
  const served = await serve(model, { dialect: agUi(), of: { tools: [asks] } });
  const agent = httpAgent(version, served);
  await say(agent, "Go");
  await comesAbout(async () => {
    await served.runtime.sweep();
    return model.requests.length === 2;
  });
  return await sendOver(agent);
}

export const attack: Attack = {
  id: "clients-23",
  title: "AG-UI: a page whose interrupt was closed elsewhere can neither retry nor send a message",
  state: "held",
  guard: {
    file: "packages/sse/test/dialects/ag-ui/ag-ui-elsewhere.test.ts",
    title: "is no longer in the way of a message",
  },
  attempt: () =>
    withAgUi((version) =>
      brokenByAny({
        "retry after an error": () => retryAfterError(version),
        "message after an error": () => messageAfterError(version),
        "message after another tab's answer": () => answeredInAnotherTab(version),
        "message after its expiry": () => expired(version),
      }),
    ),
};

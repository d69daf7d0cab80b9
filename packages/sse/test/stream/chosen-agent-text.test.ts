import { agent, agentTool, jsonSchema, type SessionEvent } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import { handModel } from "../support/hand-model.ts";
import { eventsOf, serve } from "../support/served.ts";

const call = (expert: string, id: string) => ({
  name: "ask_expert",
  id,
  input: { expert, task: "Speak." },
});

/** Two calls of one tool at the same time, each of which chooses its agent by its input. */
async function asked(showsText: boolean) {
  const models = { cook: handModel(), baker: handModel() };
  const experts = new Map(
    Object.entries(models).map(([name, model]) => [name, agent({ name, model, instructions: "Work." })]),
  );
  const ask = agentTool({
    name: "ask_expert",
    description: "Asks an expert.",
    input: jsonSchema<{ expert: string; task: string }>({ type: "object" }),
    message: ({ task }) => task,
    agents: ({ expert }) => experts.get(expert),
    ...(showsText && { shows: "text" as const }),
  });
  const script = [{ tools: [call("cook", "toolu_a"), call("baker", "toolu_b")] }, { text: "Done." }];
  const served = await serve(strictModel({ script }), { tools: [ask] });
  const response = await served.ask("/runs", { json: { input: "Go" } });
  const seen: SessionEvent[] = [];
  const whole = (async () => {
    for await (const event of eventsOf(response)) seen.push(event);
  })();
  const [cook, baker] = [await models.cook.turn(), await models.baker.turn()];
  const end = async () => {
    cook.end();
    baker.end();
    await whole;
    expect(seen.at(-1)).toMatchObject({ type: "run_ended", data: { stop: { type: "end_turn" } } });
  };
  /** What a client has read, by call and agent. */
  const said = () => {
    const texts: Record<string, string> = {};
    for (const event of seen) {
      if (event.type !== "agent_delta") continue;
      const { call_id, agent: name, text } = event.data;
      texts[`${call_id} ${name}`] = `${texts[`${call_id} ${name}`] ?? ""}${text}`;
    }
    return texts;
  };
  return { cook, baker, said, end };
}

it("F19 W4 shows the text of the agent that each call has chosen, under that agent's name", async () => {
  const { cook, baker, said, end } = await asked(true);
  cook.say("I cook.");
  baker.say("I bake.");
  await expect.poll(said).toEqual({ "toolu_a cook": "I cook.", "toolu_b baker": "I bake." });
  await end();
});

it("F19 shows no text of a chosen agent unless the tool says so", async () => {
  const { cook, said, end } = await asked(false);
  cook.say("I cook.");
  await settled();
  await end();
  expect(said()).toEqual({});
});

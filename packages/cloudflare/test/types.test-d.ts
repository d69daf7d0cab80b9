import { agentObject, type ObjectContext } from "@pawl/cloudflare";
import { agent, type ToolContext, tool } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expectTypeOf, it } from "vitest";
import * as z from "zod";

interface Deps {
  token: string;
}

const needy = tool({
  name: "needy",
  description: "",
  input: z.object({}),
  execute: (_, { deps }: ToolContext<Deps>) => deps.token,
});
const model = scriptedModel([]);
const plain = agent({ name: "plain", model, instructions: "" });
const needs = agent({ name: "needs", model, instructions: "", tools: [needy] });
declare const ctx: ObjectContext;

it("D2 deps are required where an agent needs them", () => {
  agentObject(ctx, { agents: [plain] });
  agentObject(ctx, { agents: [needs], deps: () => ({ token: "t" }) });
  // @ts-expect-error: deps are missing
  agentObject(ctx, { agents: [needs] });
  // @ts-expect-error: deps of another type
  agentObject(ctx, { agents: [needs], deps: () => ({ token: 1 }) });
});

it("D2 the runtime knows the names of its agents", () => {
  const { runtime } = agentObject(ctx, { agents: [plain], http: { agent: "plain" } });
  expectTypeOf(runtime.run).parameter(0).extract<string>().toEqualTypeOf<"plain">();
  // @ts-expect-error: another name
  agentObject(ctx, { agents: [plain], http: { agent: "other" } });
});

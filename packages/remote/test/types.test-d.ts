import { agent, type ToolContext, tool } from "@pawl/core";
import { callTool } from "@pawl/core/tools";
import { remoteTools } from "@pawl/remote";
import { toolHandler } from "@pawl/remote/server";
import { scriptedModel } from "@pawl/testing";
import { expectTypeOf, it } from "vitest";
import * as z from "zod";

interface Deps {
  token: string;
}

const input = z.object({});
const needy = tool({
  name: "needy",
  description: "",
  input,
  execute: (_, { deps }: ToolContext<Deps>) => deps.token,
});
const plain = tool({ name: "plain", description: "", input, execute: () => 1 });
const model = scriptedModel([]);
const url = "https://api.example.com";
const authorize = () => ({ userId: "ada" });

it("D2 an agent takes remote tools, alone and beside its own, and their token may come from deps", () => {
  const token = ({ deps }: { deps: Deps }) => deps.token;
  const own = agent<Deps>({ name: "a", model, instructions: "", tools: remoteTools<Deps>({ url, token }) });
  expectTypeOf(own.name).toEqualTypeOf<string>();
  const remote = remoteTools({ url });
  agent({ name: "b", model, instructions: "", tools: remote });
  agent({ name: "c", model, instructions: "", tools: async (source) => [plain, ...(await remote(source))] });
  // @ts-expect-error: another kind of deps
  remoteTools<{ other: number }>({ url, token: ({ deps }) => deps.token });
});

it("D2 deps are required where a tool needs them", () => {
  toolHandler({ tools: [plain], authorize });
  toolHandler({ tools: [needy, plain], authorize, deps: () => ({ token: "t" }) });
  toolHandler<Deps>({ tools: () => [needy], authorize, deps: async () => ({ token: "t" }) });
  // @ts-expect-error: deps are missing
  toolHandler<Deps>({ tools: [needy], authorize });
  // @ts-expect-error: deps of another type
  toolHandler<Deps>({ tools: [needy], authorize, deps: () => ({ token: 1 }) });
  void callTool(plain, {}, { userId: "ada" });
  void callTool(needy, {}, { userId: "ada", deps: { token: "t" } });
  // @ts-expect-error: deps are missing
  void callTool(needy, {}, { userId: "ada" }).catch(() => undefined);
});

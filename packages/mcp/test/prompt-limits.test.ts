// What of a server reaches the prompt.
import { describe, expect, it } from "vitest";
import { callingApp, hostileMcp, listed } from "../../../test/attacks/parts/hostile-mcp.ts";
import { type McpServerOptions, type McpToolChange, mcpServer } from "../src/index.ts";
import { connectTo, serve } from "./support/servers.ts";
import { type World, world } from "./support/world.ts";

/** A server of the name `s` that lists these tools. */
const server = (tools: () => readonly object[], more: Partial<McpServerOptions> = {}) =>
  mcpServer({
    name: "s",
    url: "https://mcp.example.com/mcp",
    protocol: "legacy",
    fetch: hostileMcp({ tools }),
    ...more,
  } as McpServerOptions);

const long = (name: string, chars: number) => listed({ name, description: "d ".repeat(chars / 2) });
const many = (count: number, chars: number) =>
  Array.from({ length: count }, (_, at) => long(`t${String(at).padStart(4, "0")}`, chars));

const sentTo = ({ model }: World) => model.requests.at(-1)?.tools ?? [];

describe("B7 T14 a server's tools", () => {
  it("have at most 200,000 characters in a prompt, and the others are reported and in the log", async () => {
    const app = world([server(() => many(300, 2_000))], [{ text: "Ok." }]);
    const { sessionId } = await app.say("Go");
    const sent = JSON.stringify(sentTo(app));
    expect(sent.length).toBeGreaterThan(195_000);
    expect(sent.length).toBeLessThan(201_000);
    const count = 300 - sentTo(app).length;
    expect(app.errors).toEqual([
      expect.stringMatching(
        new RegExp(
          `^s: The tools "t\\d+", .* and ${count - 10} more: the tools of "mcp::s" may have at most 200000`,
        ),
      ),
    ]);
    const [error] = await app.of(sessionId, "error");
    expect(error?.data).toMatchObject({
      code: "tools_left_out",
      message: expect.stringContaining("mcp__s__t"),
      context: { source: "mcp::s", count },
    });
  });

  it("are the same in each run and each session, and the prefix stays", async () => {
    const app = world([server(() => many(300, 2_000), { listTtlMs: 0 })], Array(3).fill({ text: "Ok." }));
    const { sessionId } = await app.say("Go");
    const first = sentTo(app);
    await app.say("Go", { sessionId });
    expect(await app.of(sessionId, "prefix")).toHaveLength(1);
    await app.say("Go");
    expect(sentTo(app)).toEqual(first);
  });

  it("have as many characters as `maxToolChars` says", async () => {
    const changes: McpToolChange[] = [];
    const app = world([server(() => many(5, 1_000), { maxToolChars: 3_000 })], [{ text: "Ok." }], {
      onChange: (change) => changes.push(change),
    });
    await app.say("Go");
    expect(sentTo(app)).toHaveLength(2);
    expect(changes).toEqual([
      expect.objectContaining({
        server: "s",
        leftOut: ["t0002", "t0003", "t0004"].map((name) => ({ name, why: expect.any(String) })),
      }),
    ]);
  });

  it("whose description is long are offered with its beginning and end, and are reported", async () => {
    const description = `first ${"x".repeat(20_000)} last`;
    const app = world([server(() => [listed({ description })])], [{ text: "Ok." }]);
    await app.say("Go");
    const [tool] = sentTo(app) as unknown as { description: string }[];
    expect(tool?.description.length).toBeLessThanOrEqual(8_000);
    expect(tool?.description).toMatch(/^first x+\n\[clipped: \d+ of 20011 chars\]\nx+ last$/);
    expect(app.errors).toEqual(['s: The tool "it": its description is cut at 8,000 characters.']);
  });

  it("with a name of 300 characters are left out, also where they have no description", async () => {
    const name = "n".repeat(300);
    const app = world([server(() => [{ name, inputSchema: { type: "object" } }])], [{ text: "Ok." }]);
    await app.say("Go");
    expect(sentTo(app)).toEqual([]);
    expect(app.errors).toEqual([expect.stringMatching(/^s: The tool "n+": its name is too long\.$/)]);
    expect(app.errors[0]?.length).toBeLessThan(400);
  });
});

describe("B7 T14 a server's resources and prompts", () => {
  const lists = (resources: object[]) =>
    serve(
      (one) => void one.registerResource("a", "docs://a", {}, () => ({ contents: [] })),
      (_, body) => {
        const { id, method } = body === "" ? ({} as Rpc) : (JSON.parse(body) as Rpc);
        if (method !== "resources/list") return undefined;
        const result = { resultType: "complete", ttlMs: 0, cacheScope: "private", resources };
        return Response.json({ jsonrpc: "2.0", id, result });
      },
    );
  interface Rpc {
    id?: unknown;
    method?: string;
  }
  const user = { userId: "u" };

  it("have short texts, and are left out if their name is too long", async () => {
    const resource = { uri: "docs://a", name: "n".repeat(5_000), description: "d".repeat(5_000) };
    const connected = connectTo(lists([resource, { uri: `docs://${"b".repeat(5_000)}`, name: "b" }]));
    const [one, ...others] = await connected.listResources(user);
    expect(one?.name).toBe("docs://a");
    expect(one?.title.length).toBeLessThanOrEqual(200);
    expect(one?.description).toMatch(/\[clipped: \d+ of 5000 chars\]/);
    expect(one?.description.length).toBeLessThanOrEqual(1_000);
    expect(others).toEqual([]);
  });

  it("are refused if there are more than 2,000", async () => {
    const all = Array.from({ length: 2_001 }, (_, at) => ({ uri: `docs://${at}`, name: "n" }));
    await expect(connectTo(lists(all)).listResources(user)).rejects.toThrow(
      'The list of resources of "test" is too long: it has more than 2000 resources.',
    );
    expect(await connectTo(lists(all.slice(1))).listResources(user)).toHaveLength(2_000);
  });

  it("are refused for their number also if they are more than a call can have arguments", async () => {
    const all = Array.from({ length: 200_000 }, () => ({ uri: "d:a", name: "n" }));
    await expect(
      connectTo(lists(all), { maxResponseBytes: 20_000_000 }).listResources(user),
    ).rejects.toMatchObject({
      code: "mcp_refused",
      message: expect.stringContaining("it has more than 2000 resources."),
    });
  });
});

describe("B7 T8 T14 a server's progress", () => {
  /** A call in whose answer the server reports progress, once for each of these. */
  const reporting = (...reports: object[]) =>
    hostileMcp({
      tools: () => [listed()],
      call: (_, id) => {
        const event = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
        const notes = reports.map((one) =>
          event({ method: "notifications/progress", params: { progressToken: id, ...one } }),
        );
        const result = event({ id, result: { content: [] } });
        return new Response(`${notes.join("")}${result}`, {
          headers: { "content-type": "text/event-stream" },
        });
      },
    });

  async function shownOf(...reports: object[]) {
    const { pawl } = callingApp(reporting(...reports));
    const shown: unknown[] = [];
    for await (const { type, data } of pawl.run("a", { userId: "ada", input: "Go" }))
      if (type === "tool_progress") shown.push(data.data);
    return shown;
  }

  it("reaches readers with its last report, however many come at once", async () => {
    const reports = Array.from({ length: 2_000 }, (_, at) => ({ progress: at + 1, total: 2_000 }));
    const shown = await shownOf(...reports);
    expect(shown.at(-1)).toEqual({ progress: 2_000, total: 2_000 });
    // One at once and ten a second, on a machine that may be slow.
    expect(shown.length).toBeLessThan(100);
  });

  it("has short messages, and nothing that the specification does not have", async () => {
    const [report] = await shownOf({ progress: 1, message: "m".repeat(500_000), more: "x".repeat(50_000) });
    expect(report).toEqual({ progress: 1, message: expect.stringMatching(/^m+\n\[clipped: .*\]\nm+$/) });
    expect(JSON.stringify(report).length).toBeLessThan(1_100);
  });
});

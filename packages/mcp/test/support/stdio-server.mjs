import { appendFileSync } from "node:fs";
import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const text = (said) => ({ content: [{ type: "text", text: said }] });
if (process.env.STARTS) appendFileSync(process.env.STARTS, `${process.pid}\n`);

serveStdio(() => {
  const server = new McpServer({ name: "stdio", version: "1" });
  server.registerTool("pid", {}, async () => text(String(process.pid)));
  server.registerTool("env", {}, async () => text(JSON.stringify(process.env)));
  server.registerTool("die", {}, async () => process.exit(1));
  server.registerTool("grow", {}, async () => {
    server.registerTool("grown", {}, async () => text("new"));
    return text("grown");
  });
  server.registerTool("storm", {}, async () => {
    for (let n = 0; n < 5_000; n += 1)
      await server.server.notification({ method: "notifications/tools/list_changed" });
    return text("calm");
  });
  server.registerTool(
    "print",
    { inputSchema: z.object({ line: z.string(), lines: z.number() }) },
    async ({ line, lines }) => {
      const block = `${line}\n`.repeat(1_000);
      for (let printed = 0; printed < lines; printed += 1_000)
        if (!process.stdout.write(block))
          await new Promise((resolve) => process.stdout.once("drain", resolve));
      return text("printed");
    },
  );
  server.registerTool("babble", {}, async () => {
    setInterval(() => process.stdout.write("la\n".repeat(1_000)), 1).unref();
    return text("begins");
  });
  server.registerTool("hang", {}, () => new Promise(() => undefined));
  server.registerTool("noise", {}, async () => {
    process.stderr.write("x".repeat(1_000_000));
    return text("said");
  });
  server.registerTool("ask", {}, async (ctx) => {
    if (ctx.mcpReq.inputResponses !== undefined) return text(`answered to ${process.pid}`);
    const requestedSchema = { type: "object", properties: { ok: { type: "boolean" } } };
    return inputRequired({ inputRequests: { q: inputRequired.elicit({ message: "?", requestedSchema }) } });
  });
  return server;
});

// The process that takes requests: `node src/front.ts`. It runs no agents itself.
import { createServer } from "node:http";
import { handler, health } from "@pawl/sse";
import { nodeListener } from "@pawl/sse/node";
import { connect } from "./app.ts";

const { pawl, close } = await connect({ concurrency: 0 });
// Nobody sweeps here: the workers do.
const basePath = "/api/traveller";
const authorize = (request: Request) => {
  const userId = request.headers.get("x-user"); // set by your gateway; or verify a token here
  return userId === null ? null : { userId };
};
const routes = nodeListener(handler({ runtime: pawl, agent: "traveller", basePath, authorize }));
const checks = nodeListener(health({ runtime: pawl }));

const server = createServer((request, response) => {
  const serve = request.url?.startsWith(`${basePath}/`) ? routes : checks;
  void serve(request, response);
});
server.listen(Number(process.env.PORT ?? 3000), () => {
  console.log(`http://localhost:${Object(server.address()).port}${basePath}`);
});

async function end(): Promise<void> {
  await pawl.drain({ timeoutMs: 20_000 }); // /readyz says `draining` meanwhile
  server.close();
  server.closeAllConnections();
  await close();
}
// Ctrl+C in a terminal, and an orchestrator.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);

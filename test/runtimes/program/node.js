import { createServer } from "node:http";
import { nodeListener } from "@pawl/sse/node";
import { serveWith } from "./program.js";

const server = createServer(nodeListener(serveWith()));
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));

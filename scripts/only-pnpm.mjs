// Every package runs this before it is packed. npm would publish the ranges `workspace:` and `catalog:` and
// the exports of the sources as they are; pnpm replaces them.
const [agent] = (process.env.npm_config_user_agent ?? "something other than pnpm").split(" ");
if (!agent.startsWith("pnpm/")) {
  console.error(
    `This package is packed and published by pnpm only, because ${agent} would leave "workspace:" and "catalog:" in its manifest: use \`pnpm publish\` or \`pnpm pack\`.`,
  );
  process.exitCode = 1;
}

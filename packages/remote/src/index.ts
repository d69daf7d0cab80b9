// The entry `@pawl/remote`: uses the tools of a server in another process.

export type { RemoteCaller, RemoteToolsOptions } from "./use/remote-options.ts";
export { remoteTools, type ToolsSource } from "./use/remote-tools.ts";

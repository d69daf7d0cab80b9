/** Where a tool comes from, if its texts are not the application's own, e.g. an MCP server. */
export interface ToolSource {
  /** The source's name. Tools of one source have the same. */
  readonly name: string;
  /** The most characters that a prompt has of the source's tools, see `AgentOptions.toolsLimit`. */
  readonly maxChars: number;
  /**
   * Called with the names of tools that do not fit, and with the reason, a clause. Once in a process for the
   * same tools.
   */
  omitted?(tools: readonly string[], why: string): void;
}

/** Where a tool comes from, if its texts are not the application's own, e.g. an MCP server. */
export interface ToolSource {
  /** The source's name, which all tools of the source have. */
  readonly name: string;
  /** Where the source is, for people, e.g. `https://mcp.example.com/mcp`. Default: only its name is shown. */
  readonly address?: string;
  /**
   * The parameters of its address, if there are any. They may be secret: nobody is shown them, and a question
   * about a call is stored with a hash of them.
   */
  readonly parameters?: string;
  /** The most characters of the source's tools in a prompt, see `AgentOptions.toolsLimit`. */
  readonly maxChars: number;
  /**
   * Called with the names of the tools that were left out of a prompt, and with the reason as a clause.
   * Called once per process for the same tools.
   */
  omitted?(tools: readonly string[], why: string): void;
}

/** What a tool has reported about a call, see `ToolContext.report`. `code` is the code of its error. */
export interface StoredReport {
  connector?: string;
  fragments?: string[];
  sources?: SourceReference[];
  summary?: string;
  code?: string;
}

/** A source that a tool has reported. */
export interface SourceReference {
  /** The source's name, unique among the sources, e.g. a document's id or its web address. */
  id: string;
  /** The title, for people. */
  title: string;
  /** Where people find it: an http or https address. */
  url?: string;
}

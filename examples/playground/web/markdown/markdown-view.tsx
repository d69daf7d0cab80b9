import { memo, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { blocksOf } from "./blocks.ts";
import { CITED_ELEMENT, type Cited, citing } from "./cited.ts";
import { isTooDeep } from "./depth.ts";
import { Raw } from "./raw.tsx";

const plugins = [remarkGfm];

/** The elements of Markdown. The model writes the text, so HTML appears as text and images are not loaded. */
const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ alt, src }) => <span className="prose-image">{alt || String(src ?? "image")}</span>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
    <section className="prose-table" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
};

/** Renders Markdown as plain paragraphs, for screen readers. */
export const PlainTextView = memo(function PlainTextView({ markdown }: { markdown: string }) {
  if (isTooDeep(markdown)) return <p>{markdown}</p>;
  return (
    <ReactMarkdown remarkPlugins={plugins} allowedElements={["p"]} unwrapDisallowed>
      {markdown}
    </ReactMarkdown>
  );
});

interface MarkdownViewProps {
  text: string;
  cited?: Cited;
}

/**
 * Renders the agent's text. While the text grows, only its last block is rendered again. Markdown that is
 * nested too deeply appears as source.
 */
export const MarkdownView = memo(function MarkdownView({ text, cited }: MarkdownViewProps) {
  if (isTooDeep(text)) return <Raw text={text} />;
  return (
    <div className="prose">
      {blocksOf(text).map((block, at) => (
        <Block key={at} text={block} {...(cited && { cited })} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ text, cited }: MarkdownViewProps) {
  const options = useMemo(() => optionsFor(cited), [cited]);
  return <ReactMarkdown {...options}>{text}</ReactMarkdown>;
});

function optionsFor(cited: Cited | undefined) {
  if (cited === undefined) return { remarkPlugins: plugins, components };
  const { pattern, Mark } = cited;
  const marked: Components = {
    ...components,
    [CITED_ELEMENT]: ({ children }) => <Mark text={String(children)} />,
  };
  return { remarkPlugins: [...plugins, citing(pattern)], components: marked };
}

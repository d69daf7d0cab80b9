import type { ViewMessage, ViewPart } from "@pawl/core/view";
import { SourceLink, sourcesOf } from "./sources.tsx";

export type PartOf<Type extends ViewPart["type"]> = Extract<ViewPart, { type: Type }>;

/** The longest side of a picture that a tool has made, in pixels. */
const LARGEST = 320;

/** A file of a tool's result: a picture, or a link. */
export function ToolFile({ part }: { part: PartOf<"file"> }) {
  const { url, mediaType, name = mediaType, width = 0, height = 0 } = part;
  if (url === undefined) return null;
  if (!mediaType.startsWith("image/") || width === 0) {
    return (
      <a className="made" href={url} download={name} data-testid="made-file">
        {name}
      </a>
    );
  }
  const scale = Math.min(1, LARGEST / width, LARGEST / height);
  return (
    <a className="made" href={url} target="_blank" rel="noopener noreferrer" data-testid="made-picture">
      <img
        src={url}
        alt={part.name ?? "Made by a tool"}
        width={Math.max(1, Math.round(width * scale))}
        height={Math.max(1, Math.round(height * scale))}
      />
    </a>
  );
}

/** Something that a tool has made for the user: its title, and what it consists of. */
export function ArtifactCard({ part }: { part: PartOf<"artifact"> }) {
  const { title, type, payload } = part.artifact;
  return (
    <details className="made" data-testid="artifact">
      <summary>
        {title} <span className="made-type">{type}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard */}
      <pre className="json" tabIndex={0}>
        {JSON.stringify(payload, null, 2)}
      </pre>
    </details>
  );
}

/** The sources of an answer: first those that its text cites, in the order of their numbers. */
export function Sources({ message }: { message: ViewMessage }) {
  const sources = sourcesOf(message);
  if (sources.length === 0) return null;
  return (
    <ol className="sources" aria-label="Sources" data-testid="sources">
      {sources.map((source) => (
        <li key={source.id} title={source.quote}>
          <SourceLink {...source} />
        </li>
      ))}
    </ol>
  );
}

/** What an answer has used, if the model was asked at all. */
export function Used({ message: { usage } }: { message: ViewMessage }) {
  if (usage === undefined) return null;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd } = usage;
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  if (tokens === 0) return null;
  return (
    <li className="used" data-testid="used">
      {tokens.toLocaleString("en")} tokens{costUsd > 0 && ` · $${costUsd.toPrecision(2)}`}
    </li>
  );
}

import type { ViewMessage } from "@pawl/core/view";
import { type FunctionComponent, useEffect, useId, useState } from "react";
import type { MarkdownView, PageParts } from "../base/seam.ts";
import { bodyOf } from "./body.ts";
import { titleOf, whenOf } from "./titles.ts";
import { type CoachFile, useFile, useFiles, writtenIn } from "./use-files.ts";

/** Shows the notes that the coach keeps for the user. It updates while the coach writes. */
export function filesPanel({
  Markdown,
  ErrorBoundary,
}: PageParts): FunctionComponent<{ messages: readonly ViewMessage[] }> {
  return function FilesPanel({ messages }) {
    const { count, last } = writtenIn(messages);
    const { data, failed, reload } = useFiles(count);
    const [opened, open] = useState<string | undefined>(last);
    // Opens the file that was saved last.
    useEffect(() => {
      if (last !== undefined && count > 0) open(last);
    }, [last, count]);
    if (data === undefined) {
      return failed ? <NotRead onRetry={reload} /> : <p className="files-empty">Reading your notes…</p>;
    }
    return (
      <div className="files" data-testid="files">
        {failed && <NotRead onRetry={reload} />}
        {data.length === 0 && (
          <p className="files-empty">
            Nothing is written yet. What is worth keeping of your conversations will stand here.
          </p>
        )}
        <ul>
          {data.map((file) => (
            <li key={file.path} className="file" data-testid="file" data-path={file.path}>
              <ErrorBoundary instead={<NotShown />}>
                <Row
                  file={file}
                  isOpen={opened === file.path}
                  onToggle={() => open(opened === file.path ? undefined : file.path)}
                  Markdown={Markdown}
                />
              </ErrorBoundary>
            </li>
          ))}
        </ul>
      </div>
    );
  };
}

interface RowProps {
  file: CoachFile;
  isOpen: boolean;
  onToggle: () => void;
  Markdown: MarkdownView;
}

function Row({ file, isOpen, onToggle, Markdown }: RowProps) {
  const id = useId();
  const { title, which } = titleOf(file);
  return (
    <>
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
        >
          <span className="file-title">{title}</span>
          <span className="file-which">{which}</span>
          <span className="file-when">{whenOf(file.updated_at, Date.now())}</span>
        </button>
      </h3>
      {isOpen && (
        <section className="file-text" id={id} aria-label={`${title} ${which}`.trim()}>
          <FileText file={file} Markdown={Markdown} />
        </section>
      )}
    </>
  );
}

/** Renders a file as Markdown. HTML in it appears as text. */
function FileText({ file, Markdown }: { file: CoachFile; Markdown: MarkdownView }) {
  const { data, failed, reload } = useFile(file.path, file.updated_at);
  if (data === undefined) return failed ? <NotRead onRetry={reload} /> : <p className="files-empty">…</p>;
  return <Markdown text={bodyOf(data)} />;
}

function NotShown() {
  return <p className="files-empty">This note can't be shown. It is still saved.</p>;
}

function NotRead({ onRetry }: { onRetry: () => void }) {
  return (
    <p className="files-empty" role="alert">
      Your notes can't be read right now.{" "}
      <button type="button" className="text-button" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}

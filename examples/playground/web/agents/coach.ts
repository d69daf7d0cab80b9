import { coachFace as faceWith } from "@pawl/example-coach/web";
import type { FunctionComponent } from "react";
import type { Face, ToolPartProps } from "../face/face.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { ErrorBoundary } from "../shell/error-boundary.tsx";
import { Choice, OPTIONS_TOOL } from "../thread/choice.tsx";

const face = faceWith({ Markdown, ErrorBoundary });

const parts = new Map<string, FunctionComponent<ToolPartProps>>([...face.parts]).set(OPTIONS_TOOL, Choice);

export const coachFace: Face = { ...face, parts };

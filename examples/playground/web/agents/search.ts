import { searchFace as faceWith } from "@pawl/example-enterprise-search/web";
import type { Face } from "../face/face.ts";
import { Markdown } from "../markdown/markdown.tsx";

export const searchFace: Face = faceWith({ Markdown });

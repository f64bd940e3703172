// Bundles what browsers run into the package, with the licences of everything that is in it.

import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { build } from "esbuild"

const STATIC = "../src/discreet/server/http/static"

const built = await build({
  entryPoints: ["src/console.js", "src/editor.js"],
  outdir: STATIC,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
})

const used = new Set()
for (const output of Object.values(built.metafile.outputs))
  for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
    const found = path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)
    if (found && bytesInOutput > 0) used.add(found[1])
  }

const texts = [...used].sort().map(name => {
  const folder = `node_modules/${name}`
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))
  const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each))
  if (!file) throw new Error(`${name} comes without its licence`)
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`
})
writeFileSync(`${STATIC}/LICENSES.txt`, texts.join(`\n${"-".repeat(80)}\n\n`))

for (const [path, { bytes }] of Object.entries(built.metafile.outputs)) console.log(path, bytes)

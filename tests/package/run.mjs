// `cargo xtask test package`: tests the npm package as a new user gets it. The tarball is installed into an empty
// project, and the tests use only its contents.
// Shows: P-06, Q-01, Q-05
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runInBrowser } from "./browser.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const tarball = resolve(process.argv[2]);
const project = mkdtempSync(join(tmpdir(), "podscope-package-"));
const pathInProject = (name) => join(project, name);
const runInProject = (program, args) => execFileSync(program, args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

writeFileSync(pathInProject("package.json"), '{"name": "stranger", "private": true, "type": "module"}\n');
runInProject("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", tarball]);
const installed = pathInProject("node_modules/@podscope/engine");
const readmeCodeBlocks = (language) =>
  [...readFileSync(join(installed, "README.md"), "utf8").matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language).map(([, , text]) => text);

const tests = {
  "the tarball contains exactly the needed files"() {
    const files = runInProject("tar", ["-tzf", tarball]).trim().split("\n").sort();
    assert.deepEqual(files, [
      "LICENSE", "README.md", "THIRD-PARTY.md", "lesson.js", "node.js", "package.json", "podscope.d.ts", "podscope.js", "podscope_bg.wasm",
    ].map((name) => `package/${name}`).sort());
  },

  "a Node program loads a scenario, runs commands and reads the results"() {
    cpSync(join(HERE, "use.mjs"), pathInProject("use.mjs"));
    cpSync(join(HERE, "node.mjs"), pathInProject("node.mjs"));
    process.stdout.write(runInProject("node", ["node.mjs"]).replace(/^/gm, "        ").trimEnd() + "\n");
  },

  async "the same program in Chromium, with an import map, gives the same results"() {
    const nodeResults = JSON.parse(readFileSync(pathInProject("results.json"), "utf8"));
    assert.deepEqual(await runInBrowser(project), nodeResults);
  },

  "the examples of the README run and print what it says"() {
    const [first, second] = readmeCodeBlocks("js");
    writeFileSync(pathInProject("readme-1.mjs"), first);
    const lines = runInProject("node", ["readme-1.mjs"]);
    assert.equal(lines.match(/pod: 'db-0'/g)?.length, 2, lines);
    assert.match(lines, /ghost: true/);
    assert.match(lines, /#s1:/);
    writeFileSync(pathInProject("readme-2.mjs"), `import init, { load } from "@podscope/engine";\nawait init();\n${second}`);
    assert.equal(runInProject("node", ["readme-2.mjs"]).trim(), second.match(/\/\/ (.*)$/m)[1]);
  },

  "TypeScript accepts valid uses and rejects invalid ones, and the types match the values"() {
    // node.mjs wrote the values as literals, so that TypeScript reports unknown and missing fields as errors.
    cpSync(join(HERE, "use.ts"), pathInProject("use.ts"));
    try {
      runInProject("tsc", ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "", "--lib", "es2022,dom,esnext.disposable", "use.ts", "values.ts"]);
    } catch (error) {
      assert.fail(error.stdout);
    }
  },
};

let passed = 0;
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n        ${`${error.message}\n${error.stderr ?? ""}`.trim().replaceAll("\n", "\n        ")}`);
  }
}
if (failed === 0) rmSync(project, { recursive: true });
else console.log(`the project is kept: ${project}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { languageOfCode } from "../../runtime/modules/code-language.ts";
import { createFileSource, languageOfFile } from "../../runtime/modules/file-source.ts";
import { type RunResult, showRun } from "../../runtime/results/run-result.ts";
import { isTestReport } from "../../runtime/results/test-report.ts";
import { readText } from "../../workspace/read-text.ts";
import { presentRun } from "../code/present-run.ts";
import { language, runSettings } from "../inputs.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

export type FileRun = RunResult & { readonly file_path: string };

/** The names by which test runners know tests. */
const testFile = /(^|\/)([^/]+[._]test\.(ts|mts|js|mjs)|test_[^/]*\.py|[^/]+_test\.py)$/;

export function executeCodeFile({ workspace, execute, config }: Services) {
  return defineOperation({
    name: "execute_code_file",
    description:
      "Run a file of the workspace like execute_code; it may import its neighbours. Of a test file (x.test.ts, x_test.ts, test_x.py, x_test.py) the tests run: node:test, Deno.test, unittest, plain test_ functions",
    toolset: "files",
    input: () =>
      z.strictObject({
        file_path: z.string(),
        language: language.optional().describe("the ending tells when absent, without one the content"),
        args: z.array(z.string()).max(100).optional().describe("sys.argv, process.argv, Deno.args"),
        ...runSettings,
        test: z.boolean().optional().describe("whether to run its tests; its name tells when absent"),
      }),
    async run({ file_path, language: given, args = [], timeout, test, ...settings }, actor): Promise<FileRun> {
      const code = readText(workspace, file_path);
      const hasEnding = /\.[^./]+$/.test(file_path);
      const language = given ?? languageOfFile(file_path) ?? (hasEnding ? undefined : await languageOfCode(code));
      if (!language) throw unknownLanguage(file_path);
      const path = file_path.replace(/^\.\//, "");
      const request = {
        ...settings,
        code,
        language,
        timeoutSeconds: timeout,
        modules: [createFileSource(workspace, path, language)],
        argv: [path, ...args],
        test: test ?? testFile.test(path),
      };
      return { ...(await execute(request, actor)), file_path: path };
    },
    present: (run) => presentRun(run, showFileRun(run), config.output.format),
  });
}

/** Of tests the report has been printed: their values would say the same again. */
function showFileRun(run: FileRun): string {
  const { result: _result, resultText: _resultText, ...rest } = run;
  return showRun(isTestReport(run.result) ? rest : run);
}

function unknownLanguage(path: string): CoordinatorError {
  return new CoordinatorError("input_invalid", `The ending of ${path} does not tell its language. Nothing has run`, {
    hint: 'Pass language: "typescript" or "python", or name the file .ts, .mts, .js, .mjs or .py.',
  });
}

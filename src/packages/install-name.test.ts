import { describe, expect, it } from "vitest";
import { packageForModule } from "./install-name.ts";

describe("the package of a Python module", () => {
  it.each([
    ["cv2", "opencv-python"],
    ["yaml", "PyYAML"],
    ["PIL.Image", "Pillow"],
    ["sklearn.linear_model", "scikit-learn"],
    ["bs4", "beautifulsoup4"],
    ["dateutil.parser", "python-dateutil"],
    ["google.protobuf.message", "protobuf"],
    ["google.cloud.storage", "google-cloud-storage"],
    ["pandas", "pandas"],
    ["a_package_of_ours.part", "a_package_of_ours"],
  ])("%s is %s", (module, install) => {
    expect(packageForModule("python", module)).toEqual({ install });
  });

  it.each([
    ["requets", "requests"],
    ["pandsa", "pandas"],
    ["numpyy.linalg", "numpy"],
    ["openpyxl2", "openpyxl"],
    ["nunpy", "numpy"],
    ["cvs", "csv"],
    ["sklern.svm", "sklearn"],
  ])("%s is a slip for %s", (module, instead) => {
    expect(packageForModule("python", module, ["runpy", "csv"]).instead).toBe(instead);
  });

  it.each([
    "utils",
    "helpers.text",
    "config",
    "google",
    "google.nothing",
    "urllib2",
    "_private",
    "",
    "x; rm -rf ~",
    "../up",
    "--index-url=x",
    ".relative",
    "a..b",
  ])("nothing is installed for %j", (module) => {
    expect(packageForModule("python", module)).toEqual({});
  });
});

describe("the package of a TypeScript specifier", () => {
  it.each([
    ["lodash", "lodash"],
    ["lodash/fp", "lodash"],
    ["@scope/name", "@scope/name"],
    ["@scope/name/deep/part.js", "@scope/name"],
    ["a-package-of-ours", "a-package-of-ours"],
  ])("%s is %s", (specifier, install) => {
    expect(packageForModule("typescript", specifier)).toEqual({ install });
  });

  it.each([
    ["fs", "node:fs"],
    ["fs/promises", "node:fs/promises"],
    ["loadsh", "lodash"],
    ["npm:lodash@4", "lodash"],
    ["npm:@scope/name@1/part", "@scope/name"],
  ])("%s was meant as %s", (specifier, instead) => {
    expect(packageForModule("typescript", specifier)).toEqual({ instead });
  });

  it.each([
    "./utils",
    "../../etc/passwd",
    "/etc/passwd",
    "utils",
    "https://example.org/x.js",
    "jsr:@std/assert",
    "@scope",
    "Upper",
    ".hidden",
    "a b",
    "x; rm -rf ~",
    "--registry=x",
    "x".repeat(215),
    "",
  ])("nothing is installed for %j", (specifier) => {
    expect(packageForModule("typescript", specifier)).toEqual({});
  });
});

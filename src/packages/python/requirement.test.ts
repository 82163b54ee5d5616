import { describe, expect, test } from "vitest";
import { normalise, readRequirement } from "./requirement.ts";

describe("requirements", () => {
  test.each([
    ["six", "six"],
    ["  tabulate ", "tabulate"],
    ["Flask_SQLAlchemy", "flask-sqlalchemy"],
    ["zope.interface==6.*", "zope-interface"],
    ["pandas>=2,<3", "pandas"],
    ["pandas (>=2, <3)", "pandas"],
    ["requests[socks,security] ~= 2.31", "requests"],
    ["a", "a"],
    ["torch==2.3.0+cpu", "torch"],
    ["x!=1.0,===1!2.0rc1", "x"],
    ['tomli; python_version < "3.11"', "tomli"],
    ["pywin32>=300; sys_platform == 'win32' and (python_version >= '3.9' or extra == 'all')", "pywin32"],
    ["name;platform_machine not in 'arm64 aarch64'", "name"],
  ])("%s is %s", (text, name) => {
    expect(readRequirement(text, "index")).toEqual({ name, text: text.trim() });
  });

  const hostile = [
    ...["x; rm -rf ~", "x;rm -rf /", "x && touch /tmp/canary", "x | sh", "x > /etc/passwd", "$(touch canary)", "`id`"],
    ...["x$(id)", "$HOME", "x\ny", "x\r\n--index-url=http://evil.example", "x\0y", "", "   ", "x y", "x 'y'", '"x"'],
    ...["--index-url=http://evil.example/simple", "-i http://evil.example", "-r requirements.txt", "-e .", "--help"],
    ...["--target=/", "-", "--", "-c/etc/passwd", "http://evil.example/x.whl", "https://evil.example/x.tar.gz"],
    ...[
      "git+https://evil.example/x.git",
      "git+ssh://git@evil.example/x",
      "hg+http://evil.example",
      "file:///etc/passwd",
    ],
    ...["x @ https://evil.example/x.whl", "x@file:///etc/passwd", "./x", "../x", "/etc/passwd", "~/x", "x/y", "x\\y"],
    ...["C:\\Windows\\x.whl", "\\\\server\\share\\x.whl", "x-1.0-py3-none-any.whl", "x-1.0.tar.gz", "x.zip", ".", ".."],
    ...["x[;touch canary]", "x[a", "x==", "x==1;", "x==1; os.system('id')", "x; __import__('os')", "x; python_version"],
    ...[
      "x; python_version < '3' ; y",
      "x; (python_version < '3'",
      "x\u2028y",
      "x==$(id)",
      "x>=1 --pre",
      "ünïcode",
      "x#y",
    ],
    ...["_x", "x_", "x%20y", "x?y", `${"x".repeat(301)}`],
  ];
  test.each(hostile)("%j is refused with a reason", (text) => {
    expect(readRequirement(text, "index")).toEqual(expect.any(String));
  });
  test("there are enough of them", () => expect(new Set(hostile).size).toBeGreaterThan(60));

  test("other sources only where the policy allows them, and never options or version control", () => {
    expect(readRequirement("https://example.org/x.whl", "any")).toMatchObject({
      name: undefined,
      url: expect.any(URL),
    });
    expect(readRequirement("My.X @ https://example.org/x.whl", "any")).toMatchObject({ name: "my-x" });
    expect(readRequirement("/home/me/x.whl", "any")).toMatchObject({ path: "/home/me/x.whl" });
    for (const text of [
      "--pre",
      "-r x",
      "git+https://example.org/x",
      "./x.whl",
      "file:///x",
      "https://me:pw@example.org/x.whl",
      "x; rm -rf ~",
    ]) {
      expect(readRequirement(text, "any"), text).toEqual(expect.any(String));
    }
  });

  test("names have one spelling", () => expect(normalise("A.-_b__C")).toBe("a-b-c"));
});

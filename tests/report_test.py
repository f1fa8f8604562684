#!/usr/bin/env python3
"""The HTML report in a real browser. report_test.py PROGRAM

No console error, no request, every number on the page equal to its document's, usable by keyboard, no sideways scrolling on a phone.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None
SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "kernel-audit"
BROWSER, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


def call(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode != status:
        raise AssertionError(f"status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def browser(profile):
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--window-size=1280,900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    from selenium.webdriver.chrome.service import Service
    return webdriver.Chrome(service=Service(DRIVER), options=options)


def at_pointer(document, pointer):
    for part in pointer.split("/")[1:]:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document if isinstance(document, str) else json.dumps(document, sort_keys=True, separators=(",", ":"))


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        call("check", "--implementation", "solution", "--stage", "all", "--seed", 7, "--evidence-dir", cls.folder / "passed")
        call("check", "--implementation", ROOT / "tests" / "candidates" / "pipeline_reads_before_wait.cpp", "--stage", 3, "--seed", 7, "--evidence-dir", cls.folder / "failed", status=1)
        call("simulate", ROOT / "tests" / "data" / "cores" / "shared_racy.mlir", "--random-inputs", 3, "--evidence-dir", cls.folder / "racy", status=1)
        cls.browser = browser(cls.folder / "profile")
        cls.addClassCleanup(cls.browser.quit)

    def open(self, *names):
        bundles = [self.folder / name for name in names]
        page = self.folder / ("-".join(names) + ".html")
        call("report", *bundles, "--output", page)
        self.browser.get_log("performance")
        self.browser.get(page.as_uri())
        return bundles

    def requests(self):
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]

    def test_no_error_and_no_request(self):
        for name in ("passed", "failed", "racy"):
            self.open(name)
            self.assertEqual([entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")], [])
            self.assertEqual([url for url in self.requests() if not url.startswith(("file:", "data:"))], [])

    def test_the_check_sees_a_request_and_an_error(self):
        page = self.folder / "planted.html"
        page.write_text("<!DOCTYPE html><title>x</title><img src='http://127.0.0.1:9/x.png'><script>nothing()</script>")
        self.browser.get_log("performance")
        self.browser.get(page.as_uri())
        self.assertTrue([entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"])
        self.assertTrue([url for url in self.requests() if url.startswith("http:")])

    def test_every_number_is_its_documents(self):
        for names in (("passed",), ("failed", "racy")):
            bundles = self.open(*names)
            figures = self.browser.execute_script("return [...document.querySelectorAll('[data-pointer]')].map(e => [e.dataset.document, e.dataset.pointer, e.textContent])")
            self.assertGreater(len(figures), 100)
            documents = {}
            for key, pointer, text in figures:
                number, path = key.split("/", 1)
                document = documents.setdefault(key, json.loads((bundles[int(number)] / path).read_text()))
                self.assertEqual(text, at_pointer(document, pointer), f"{key} {pointer}")

    def test_what_a_person_looks_for(self):
        self.open("failed", "passed", "racy")
        text = self.browser.find_element(By.TAG_NAME, "body").text
        for words in ("no receipt is in these bundles", "a check failed", "every check passed", "1 finding", "Precision policy", "Zero padding is right here"):
            self.assertIn(words, text)
        for tier in ("estimate", "simulated", "compiled", "executed"):
            self.assertTrue(self.browser.find_elements(By.CSS_SELECTOR, f".card.{tier} .limit"))
        excerpts = [each.get_attribute("textContent") for each in self.browser.find_elements(By.CSS_SELECTOR, ".excerpt")]
        self.assertTrue(any("copy.start();" in excerpt for excerpt in excerpts), excerpts)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "figure.picture")), 3)
        identifiers = self.browser.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        self.assertEqual(len(identifiers), len(set(identifiers)))

    def test_the_keyboard_reads_a_picture(self):
        self.open("passed")
        figure = self.browser.find_element(By.CSS_SELECTOR, "figure.picture")
        first = figure.find_element(By.CSS_SELECTOR, "rect[tabindex='0']")
        self.browser.execute_script("arguments[0].focus()", first)
        note = figure.find_element(By.TAG_NAME, "output")
        self.assertEqual(note.text, "program (0, 0): rows 0 to 1, columns 0 to 3, 8 elements, 0 of them padding")
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(note.text, "program (0, 2): rows 0 to 1, columns 8 to 11, 8 elements, 2 of them padding")
        self.assertEqual(len(figure.find_elements(By.CSS_SELECTOR, "rect[tabindex='0']")), 1)

    def test_a_phone_and_dark_and_print(self):
        self.open("passed", "failed", "racy")
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True})
        self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), 390)
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        colours = []
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            colours.append(self.browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(set(colours)), 2)
        self.assertGreater(len(self.browser.execute_cdp_cmd("Page.printToPDF", {})["data"]), 10000)

    def test_a_changed_bundle_gets_no_report(self):
        call("simulate", ROOT / "tests" / "data" / "cores" / "shared_racy.mlir", "--random-inputs", 3, "--evidence-dir", self.folder / "changed", status=1)
        (self.folder / "changed" / "environment.json").unlink()
        done = call("report", self.folder / "changed", status=1)
        self.assertIn("environment.json is missing", done.stderr)
        self.assertFalse((self.folder / "changed.html").exists())


if __name__ == "__main__":
    if webdriver is None or not os.path.exists(BROWSER) or not os.path.exists(DRIVER):
        print("skipped: no chromium, chromium-driver or python3-selenium")
        sys.exit(SKIPPED)
    unittest.main()

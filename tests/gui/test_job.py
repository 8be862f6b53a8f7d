"""The one helper for work beside the window."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot

from cudnn_assistant.gui.job import Job


def test_news_and_result_arrive_in_order_in_the_windows_thread(qtbot: QtBot) -> None:
    heard: list[object] = []
    threads: set[threading.Thread] = set()

    def work(job: Job) -> object:
        for number in range(100):
            job.tell(number)
        return "done"

    def hear(what: object) -> None:
        heard.append(what)
        threads.add(threading.current_thread())

    job = Job(work)
    job.progress.connect(hear)
    job.done.connect(hear)
    with qtbot.waitSignal(job.done):
        job.start()
    assert heard == [*range(100), "done"]
    assert threads == {threading.main_thread()}


def test_trouble_is_handed_over(qtbot: QtBot) -> None:
    def work(_job: Job) -> object:
        raise LookupError("gone")

    job = Job(work)
    with qtbot.waitSignal(job.broke) as caught:
        job.start()
    assert isinstance(caught.args[0], LookupError)


def test_a_cancelled_job_stops_at_its_next_word_and_is_never_heard(qtbot: QtBot) -> None:
    begun, go, ended = threading.Event(), threading.Event(), threading.Event()
    reached: list[str] = []

    def work(job: Job) -> object:
        try:
            job.tell("first")
            begun.set()
            assert go.wait(10)
            job.tell("second")
            reached.append("after")
        finally:
            ended.set()
        return None

    heard: list[object] = []
    job = Job(work)
    for signal in (job.progress, job.done, job.broke):
        signal.connect(heard.append)
    job.start()
    assert begun.wait(10)
    # "first" is under way to this thread, which has not looked yet: it must not arrive either.
    job.cancel()
    go.set()
    assert ended.wait(10)
    qtbot.wait(50)
    assert heard == []
    assert reached == []


def test_a_job_whose_window_is_gone_ends_quietly(qtbot: QtBot) -> None:
    import shiboken6

    begun, go, ended = threading.Event(), threading.Event(), threading.Event()

    def work(_job: Job) -> object:
        begun.set()
        assert go.wait(10)
        ended.set()
        return 1

    job = Job(work)
    job.start()
    assert begun.wait(10)
    shiboken6.delete(job)
    go.set()
    assert ended.wait(10)
    qtbot.wait(50)

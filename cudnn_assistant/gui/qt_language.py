"""Qt's own words (buttons of its dialogs, menus of its fields) and dates, in our language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from cudnn_assistant.wording import spoken


def follow() -> None:
    """Let Qt speak what is spoken now; where it doesn't know the language, its words stay."""
    app = QCoreApplication.instance()
    locale = QLocale(spoken()) if spoken() != "en" else QLocale.system()
    QLocale.setDefault(locale)
    if app is None:
        return
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    words = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if words.load(QLocale(spoken()), "qtbase", "_", folder):
        app.installTranslator(words)

"""Reads Word and PowerPoint files of before 2007 (.doc, .ppt), which LibreOffice converts where it is installed."""

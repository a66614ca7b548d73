"""Units by their UCUM codes, and how they are printed. Data only; a test compares every factor with pint.

Own data, because the registry of pint takes a second to import and a quarter to build where the stages start cold,
and because its parser takes nearly every letter for a unit ("a" is a year, "h" Planck's constant).
"""

from typing import Final

# Code → factor to the base units, dimension in (m, kg, s, K, A, mol, cd, rad, bit), may bear a metric prefix.
ATOMS: Final[dict[str, tuple[float, str, bool]]] = {
    "m": (1.0, "m", True), "g": (1e-3, "kg", True), "s": (1.0, "s", True), "K": (1.0, "K", True),
    "A": (1.0, "A", True), "mol": (1.0, "mol", True), "cd": (1.0, "cd", True), "rad": (1.0, "rad", True),
    "bit": (1.0, "bit", True), "By": (8.0, "bit", True), "%": (1e-2, "", False), "[ppth]": (1e-3, "", False),
    "[ppm]": (1e-6, "", False), "[ppb]": (1e-9, "", False), "1": (1.0, "", False), "10*": (10.0, "", False),
    "Hz": (1.0, "s-1", True), "N": (1.0, "kg m s-2", True), "Pa": (1.0, "kg m-1 s-2", True),
    "J": (1.0, "kg m2 s-2", True), "W": (1.0, "kg m2 s-3", True), "C": (1.0, "A s", True),
    "V": (1.0, "kg m2 s-3 A-1", True), "F": (1.0, "kg-1 m-2 s4 A2", True), "Ohm": (1.0, "kg m2 s-3 A-2", True),
    "S": (1.0, "kg-1 m-2 s3 A2", True), "Wb": (1.0, "kg m2 s-2 A-1", True), "T": (1.0, "kg s-2 A-1", True),
    "H": (1.0, "kg m2 s-2 A-2", True), "Bq": (1.0, "s-1", True), "Gy": (1.0, "m2 s-2", True),
    "Sv": (1.0, "m2 s-2", True),
    "L": (1e-3, "m3", True), "t": (1e3, "kg", True), "bar": (1e5, "kg m-1 s-2", True),
    "eV": (1.602176634e-19, "kg m2 s-2", True), "Ao": (1e-10, "m", False), "har": (1e4, "m2", False),
    "min": (60.0, "s", False), "h": (3600.0, "s", False), "d": (86400.0, "s", False), "wk": (604800.0, "s", False),
    "mo": (2629800.0, "s", False), "a": (31557600.0, "s", False), "deg": (0.017453292519943295, "rad", False),
    "Cel": (1.0, "K", False), "[degF]": (5 / 9, "K", False), "atm": (101325.0, "kg m-1 s-2", False),
    "m[Hg]": (133322.387415, "kg m-1 s-2", True), "[in_i'Hg]": (3386.388640341, "kg m-1 s-2", False),
    "cal": (4.184, "kg m2 s-2", True), "[g]": (9.80665, "m s-2", False),
    "[in_i]": (0.0254, "m", False), "[ft_i]": (0.3048, "m", False), "[yd_i]": (0.9144, "m", False),
    "[mi_i]": (1609.344, "m", False), "[nmi_i]": (1852.0, "m", False), "[kn_i]": (1852 / 3600, "m s-1", False),
    "[lb_av]": (0.45359237, "kg", False), "[lbf_av]": (4.4482216152605, "kg m s-2", False),
    "[psi]": (6894.757293168361, "kg m-1 s-2", False), "[HP]": (745.6998715822702, "kg m2 s-3", False),
    "[Btu_IT]": (1055.05585262, "kg m2 s-2", False), "[gal_us]": (3.785411784e-3, "m3", False),
    "[cft_i]": (0.028316846592, "m3", False), "[cin_i]": (1.6387064e-5, "m3", False),
    "[sft_i]": (0.09290304, "m2", False), "[sin_i]": (6.4516e-4, "m2", False),
    "[acr_us]": (4046.872609874252, "m2", False),
    "[oz_tr]": (0.0311034768, "kg", False), "Bd": (1.0, "s-1", True), "U": (1e-6 / 60, "mol s-1", True),
    "dB": (1.0, "dB", False),
}  # fmt: skip
# Zero of the scale in the base unit, after the factor.
OFFSETS: Final = {"Cel": 273.15, "[degF]": 459.67 * 5 / 9}
PREFIXES: Final = {
    "f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "h": 1e2, "k": 1e3, "M": 1e6,
    "G": 1e9, "T": 1e12,
}  # fmt: skip
PREFIX_WORDS: Final = {
    "nano": "n", "micro": "u", "milli": "m", "centi": "c", "deci": "d", "hecto": "h", "kilo": "k", "mega": "M",
    "giga": "G", "tera": "T",
}  # fmt: skip
# Unit in which values of a dimension are compared, where it has a name better than the product of base units.
CANONICAL: Final = {
    "": "1", "kg m s-2": "N", "kg m-1 s-2": "Pa", "kg m2 s-2": "J", "kg m2 s-3": "W", "A s": "C",
    "kg m2 s-3 A-1": "V", "kg m2 s-3 A-2": "Ohm", "kg-1 m-2 s4 A2": "F", "s-1": "Hz",
    "kg m2 s-2 A-2": "H", "kg s-2 A-1": "T", "m s-1": "m/s", "m s-2": "m/s2", "m3 s-1": "m3/s", "kg m-3": "kg/m3",
    "mol m-3": "mol/m3", "bit s-1": "bit/s", "kg s-1": "kg/s", "mol s-1": "mol/s",
}  # fmt: skip
# What a quantity without a label is called.
DIMENSION_NAMES: Final = {
    "": "share", "m": "length", "kg": "mass", "s": "duration", "K": "temperature", "A": "current", "mol": "amount",
    "m2": "area", "m3": "volume", "m s-1": "speed", "m s-2": "acceleration", "kg m s-2": "force",
    "kg m-1 s-2": "pressure", "kg m2 s-2": "energy", "kg m2 s-3": "power", "A s": "charge", "kg m2 s-3 A-1": "voltage",
    "kg m2 s-3 A-2": "resistance", "s-1": "frequency", "m3 s-1": "volume_flow", "kg m-3": "density",
    "mol m-3": "concentration", "rad": "angle", "bit": "data", "bit s-1": "data_rate", "dB": "level",
    "kg s-1": "mass_flow",
}  # fmt: skip
# Symbols that may bear a metric prefix in print: printed → code.
METRIC_SYMBOLS: Final = {
    "m": "m", "g": "g", "s": "s", "K": "K", "A": "A", "mol": "mol", "cd": "cd", "rad": "rad", "Hz": "Hz", "N": "N",
    "Pa": "Pa", "J": "J", "W": "W", "V": "V", "F": "F", "\u2126": "Ohm", "\u03a9": "Ohm",
    "ohm": "Ohm", "S": "S", "T": "T",
    "Bq": "Bq", "Gy": "Gy", "Sv": "Sv", "L": "L", "l": "L", "bar": "bar", "eV": "eV",
    "Wh": "W.h", "Ah": "A.h", "VA": "V.A", "B": "By", "bit": "bit", "bps": "bit/s", "cal": "cal",
    "M": "mol/L", "U": "U",
    "Nm": "N.m",
}  # fmt: skip
# Words that may have a metric prefix and a plural s: printed → code.
METRIC_WORDS: Final = {
    "meter": "m", "metre": "m", "gram": "g", "gramme": "g", "second": "s", "kelvin": "K", "ampere": "A", "amp": "A",
    "mole": "mol", "hertz": "Hz", "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W", "volt": "V", "ohm": "Ohm",
    "liter": "L", "litre": "L", "byte": "By", "bit": "bit", "calorie": "cal", "radian": "rad", "tesla": "T",
}  # fmt: skip
# Everything else that is printed → UCUM. What stands for several units (ton, gallon, ounce, degree) is not here.
SURFACES: Final = {
    "%": "%", "percent": "%", "per cent": "%", "pct": "%", "‰": "[ppth]", "ppm": "[ppm]", "ppb": "[ppb]",
    "wt.%": "%{wt}", "wt%": "%{wt}", "wt.-%": "%{wt}", "wt. %": "%{wt}", "wt %": "%{wt}", "vol%": "%{vol}",
    "vol.%": "%{vol}", "vol. %": "%{vol}", "vol %": "%{vol}", "mol%": "%{mol}", "at.%": "%{at}", "at%": "%{at}",
    "% RH": "%{RH}", "%RH": "%{RH}",
    "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "min": "min", "mins": "min", "minute": "min",
    "minutes": "min", "sec": "s", "secs": "s", "d": "d", "day": "d", "days": "d", "week": "wk", "weeks": "wk",
    "Stunde": "h", "Stunden": "h", "Minuten": "min", "Sekunde": "s", "Sekunden": "s", "Tag": "d", "Tage": "d",
    "Tagen": "d", "Woche": "wk", "Wochen": "wk", "Monat": "mo", "Monate": "mo", "Monaten": "mo", "Jahr": "a",
    "Jahre": "a", "Jahren": "a",
    "month": "mo", "months": "mo", "yr": "a", "yrs": "a", "year": "a", "years": "a", "ka": "10*3.a", "kyr": "10*3.a",
    "Ma": "10*6.a", "Myr": "10*6.a", "Ga": "10*9.a", "Gyr": "10*9.a",
    "°C": "Cel", "℃": "Cel", "° C": "Cel", "ºC": "Cel", "deg C": "Cel", "degC": "Cel", "degrees C": "Cel",
    "degrees Celsius": "Cel", "degree Celsius": "Cel", "Celsius": "Cel", "°F": "[degF]", "℉": "[degF]",
    "° F": "[degF]", "ºF": "[degF]", "deg F": "[degF]", "degrees F": "[degF]", "degrees Fahrenheit": "[degF]",
    "Fahrenheit": "[degF]", "°": "deg", "º": "deg",
    "in": "[in_i]", "in.": "[in_i]", "inch": "[in_i]", "inches": "[in_i]", "ft": "[ft_i]", "ft.": "[ft_i]",
    "foot": "[ft_i]", "feet": "[ft_i]", "yd": "[yd_i]", "yard": "[yd_i]", "yards": "[yd_i]", "mi": "[mi_i]",
    "mile": "[mi_i]", "miles": "[mi_i]", "mph": "[mi_i]/h", "nautical mile": "[nmi_i]", "nautical miles": "[nmi_i]",
    "NM": "[nmi_i]", "nmi": "[nmi_i]", "kt": "[kn_i]", "kts": "[kn_i]", "knot": "[kn_i]", "knots": "[kn_i]",
    "kph": "km/h", "kmh": "km/h", "sq ft": "[sft_i]", "sq. ft.": "[sft_i]", "sq. ft": "[sft_i]",
    "square foot": "[sft_i]", "square feet": "[sft_i]", "square inch": "[sin_i]", "square inches": "[sin_i]",
    "sq in": "[sin_i]", "cu ft": "[cft_i]", "cu. ft.": "[cft_i]", "cubic foot": "[cft_i]", "cubic feet": "[cft_i]",
    "cubic inch": "[cin_i]", "cubic inches": "[cin_i]", "cu in": "[cin_i]", "cc": "cm3", "acre": "[acr_us]",
    "acres": "[acr_us]", "ha": "har", "hectare": "har", "hectares": "har", "square meter": "m2", "square metre": "m2",
    "square meters": "m2", "square metres": "m2", "cubic meter": "m3", "cubic metre": "m3", "cubic meters": "m3",
    "cubic metres": "m3", "sq m": "m2", "sqm": "m2", "square kilometers": "km2", "square kilometres": "km2",
    "square miles": "[mi_i]2", "sq km": "km2", "square mile": "[mi_i]2",
    "micron": "um", "microns": "um", "\u00c5": "Ao", "\u212b": "Ao", "angstrom": "Ao", "angstroms": "Ao",
    "lb": "[lb_av]", "lb.": "[lb_av]", "lbs": "[lb_av]", "lbs.": "[lb_av]", "pound": "[lb_av]", "pounds": "[lb_av]",
    "troy ounce": "[oz_tr]", "troy ounces": "[oz_tr]", "t": "t", "tonne": "t", "tonnes": "t", "metric ton": "t",
    "metric tons": "t", "Mt": "Mt", "Gt": "Gt", "lbf": "[lbf_av]", "cfm": "[cft_i]/min", "CFM": "[cft_i]/min",
    "SCFM": "[cft_i]{standard}/min", "scfm": "[cft_i]{standard}/min", "ACFM": "[cft_i]{actual}/min",
    "Nm³/h": "m3{normal}/h", "Nm3/h": "m3{normal}/h", "psi": "[psi]", "PSI": "[psi]", "psig": "[psi]{gauge}",
    "psia": "[psi]{absolute}", "barg": "bar{gauge}", "bar(g)": "bar{gauge}", "bara": "bar{absolute}",
    "bar(a)": "bar{absolute}", "atm": "atm", "Torr": "mm[Hg]", "torr": "mm[Hg]", "mmHg": "mm[Hg]", "mm Hg": "mm[Hg]",
    "inHg": "[in_i'Hg]", "in Hg": "[in_i'Hg]", "inches Hg": "[in_i'Hg]",
    "hp": "[HP]", "HP": "[HP]", "bhp": "[HP]", "horsepower": "[HP]",
    "BTU": "[Btu_IT]", "Btu": "[Btu_IT]", "BTU/h": "[Btu_IT]/h", "lb-ft": "[ft_i].[lbf_av]", "lb·ft": "[ft_i].[lbf_av]",
    "ft-lb": "[ft_i].[lbf_av]", "ft·lb": "[ft_i].[lbf_av]", "ft-lbs": "[ft_i].[lbf_av]", "U.S. gallons": "[gal_us]",
    "US gal": "[gal_us]", "US gallons": "[gal_us]", "dB": "dB", "dB(A)": "dB{A}", "dBA": "dB{A}", "db(A)": "dB{A}",
    "dBm": "dB{m}", "rpm": "{rev}/min", "RPM": "{rev}/min", "r/min": "{rev}/min", "mBar": "mbar",
}  # fmt: skip
# Alone in a cell or behind a label they are units; in a sentence they are words or letters.
NOT_IN_PROSE: Final = frozenset(
    {"in", "in.", "F", "S", "T", "M", "U", "B", "H", "d", "t", "l", "A", "cd", "mi", "ha", "NM", "rad", "mas", "as"}
)
# Ambiguous units: values are not typed where the document uses the other meaning.
AMBIGUOUS: Final = {"nm": r"\bnautical|\bknots\b|\bkts\b", "pounds": r"£|\bsterling\b", "pound": r"£|\bsterling\b"}

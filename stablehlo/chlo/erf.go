package chlo

// The error function and its complement are those of the Cephes library
// (S. L. Moshier, ndtr.c for f64, ndtrf.c for f32):
//
//	erf x  = x·T(x²)/U(x²)                for |x| < 1, in f32 x·T(x²)
//	erfc x = e^(-x²)·P(x)/Q(x)            for 1 ≤ x < 8
//	erfc x = e^(-x²)·R(x)/S(x)            for x ≥ 8
//	erfc x = e^(-x²)·P(1/x²)/x, R(1/x²)/x in f32, for x below and from 2
//
// erfc(-x) is 2 - erfc x, and one is 1 minus the other where it is not given.
var (
	erfT64 = []float64{
		9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
		7.00332514112805075473e3, 5.55923013010394962768e4,
	}
	erfU64 = []float64{
		1, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
		2.26290000613890934246e4, 4.92673942608635921086e4,
	}
	erfcP64 = []float64{
		2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
		4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2,
		9.34528527171957607540e2, 1.02755188689515710272e3, 5.57535335369399327526e2,
	}
	erfcQ64 = []float64{
		1, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
		9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
		1.65666309194161350182e3, 5.57535340817727675546e2,
	}
	erfcR64 = []float64{
		5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
		6.16021097993053585195e0, 7.40974269950448939160e0, 2.97886665372100240670e0,
	}
	erfcS64 = []float64{
		1, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
		1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0,
	}

	erfT32 = []float64{
		7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3, -2.685381193529856e-2,
		1.128358514861418e-1, -3.761262582423300e-1, 1.128379165726710e0,
	}
	erfcP32 = []float64{
		2.326819970068386e-2, -1.387039388740657e-1, 3.687424674597105e-1, -5.824733027278666e-1,
		6.210004621745983e-1, -4.944515323274145e-1, 3.404879937665872e-1, -2.741127028184656e-1,
		5.638259427386472e-1,
	}
	erfcR32 = []float64{
		-1.047766399936249e1, 1.297719955372516e1, -7.495518717768503e0, 2.921019019210786e0,
		-1.015265279202700e0, 4.218463358204948e-1, -2.820767439740514e-1, 5.641895067754075e-1,
	}
)

func erf(x val) val {
	return x.abs().lt(1).pick(erfNear(x), x.num(1).sub(erfcFar(x)))
}

func erfc(x val) val {
	return x.abs().lt(1).pick(x.num(1).sub(erfNear(x)), erfcFar(x))
}

// erfNear is erf for |x| ≤ 1.
func erfNear(x val) val {
	square := x.mul(x)
	if bits(x) == 64 {
		return x.mul(horner(square, erfT64)).div(horner(square, erfU64))
	}
	return x.mul(horner(square, erfT32))
}

// erfcFar is erfc for |x| ≥ 1. Beyond the exponential's range it is 0: there
// the polynomials overflow or divide by infinity.
func erfcFar(x val) val {
	ax := x.abs()
	decay := expMinusSquare(ax)
	var tail val
	if bits(x) == 64 {
		near := decay.mul(horner(ax, erfcP64)).div(horner(ax, erfcQ64))
		far := decay.mul(horner(ax, erfcR64)).div(horner(ax, erfcS64))
		tail = ax.lt(8).pick(near, far)
	} else {
		inverse := x.num(1).div(ax.mul(ax))
		p := ax.lt(2).pick(horner(inverse, erfcP32), horner(inverse, erfcR32))
		tail = decay.mul(p).div(ax)
	}
	tail = decay.eq(0).pick(x.num(0), tail)
	return x.lt(0).pick(x.num(2).sub(tail), tail)
}

// expMinusSquare is e^(-x²) of x ≥ 0. The square is that of x rounded to 1/128, which is
// exact, and the rest (Cephes, expx2.c). The rounding error of a square would be an error
// of the power, as many times larger as the square is.
func expMinusSquare(x val) val {
	x = x.min(x.num(32)) // from where on it is 0
	near := x.mulNum(128).addNum(0.5).floor().mulNum(1.0 / 128)
	rest := x.sub(near).mul(x.add(near))
	return near.mul(near).neg().exp().mul(rest.neg().exp())
}

// The inverse of the error function is that of M. Giles, "Approximating the
// erfinv function" (GPU Computing Gems, 2012), tables 3 and 4: polynomials in
// w = -log(1-x²) and √w, shifted to the middle of each range.
var (
	erfInvNear32 = []float64{
		2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
		-0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
	}
	erfInvFar32 = []float64{
		-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
		-0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
	}
	erfInvNear64 = []float64{
		-3.6444120640178196996e-21, -1.685059138182016589e-19, 1.2858480715256400167e-18,
		1.115787767802518096e-17, -1.333171662854620906e-16, 2.0972767875968561637e-17,
		6.6376381343583238325e-15, -4.0545662729752068639e-14, -8.1519341976054721522e-14,
		2.6335093153082322977e-12, -1.2975133253453532498e-11, -5.4154120542946279317e-11,
		1.051212273321532285e-09, -4.1126339803469836976e-09, -2.9070369957882005086e-08,
		4.2347877827932403518e-07, -1.3654692000834678645e-06, -1.3882523362786468719e-05,
		0.0001867342080340571352, -0.00074070253416626697512, -0.0060336708714301490533,
		0.24015818242558961693, 1.6536545626831027356,
	}
	erfInvMiddle64 = []float64{
		2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
		1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
		2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
		6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
		0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
		-0.0037512085075692412107, 0.005370914553590063617, 1.0052589676941592334,
		3.0838856104922207635,
	}
	erfInvFar64 = []float64{
		-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
		-3.7894654401267369937e-09, 7.6157012080783393804e-09, -1.4960026627149240478e-08,
		2.9147953450901080826e-08, -6.7711997758452339498e-08, 2.2900482228026654717e-07,
		-9.9298272942317002539e-07, 4.5260625972231537039e-06, -1.9681778105531670567e-05,
		7.5995277030017761139e-05, -0.00021503011930044477347, -0.00013871931833623122026,
		1.0103004648645343977, 4.8499064014085844221,
	}
)

func erfInv(x val) val {
	w := oneMinusSquare(x).log().neg() // exact near ±1, where x² is rounded
	root := w.sqrt()
	var p val
	if bits(x) == 64 {
		far := w.lt(16).pick(horner(root.subNum(3.25), erfInvMiddle64), horner(root.subNum(5), erfInvFar64))
		p = w.lt(6.25).pick(horner(w.subNum(3.125), erfInvNear64), far)
	} else {
		p = w.lt(5).pick(horner(w.subNum(2.5), erfInvNear32), horner(root.subNum(3), erfInvFar32))
	}
	return x.abs().eq(1).pick(x.mul(x.inf()), p.mul(x)) // at ±1, w is infinite
}
